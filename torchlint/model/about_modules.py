"""What a file may be asked about what its modules are made of, and compute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.worlds import ANYWHERE
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.model.modules.always_dropping import AlwaysDropping


class AboutModules(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def always_dropping(self) -> Iterator[AlwaysDropping]:
        """Yield the calls that drop with every `forward` of a module, whatever mode the module is in."""
        from torchlint.model.modules.always_dropping import always_dropping

        return always_dropping(self.project.evaluator(ANYWHERE), self._file)
