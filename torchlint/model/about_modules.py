"""What a file may be asked about what its modules are made of, and compute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.worlds import ANYWHERE
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.model.modules.always_dropping import AlwaysDropping
    from torchlint.model.modules.early_parts import EarlyPart
    from torchlint.model.modules.fresh_layers import FreshLayer
    from torchlint.model.place import Place


class AboutModules(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def always_dropping(self) -> Iterator[AlwaysDropping]:
        """Yield the calls that drop with every `forward` of a module, whatever mode the module is in."""
        from torchlint.model.modules.always_dropping import always_dropping

        return always_dropping(self.project.evaluator(ANYWHERE), self)

    def fresh_layers(self) -> Iterator[FreshLayer]:
        """Yield the calls that build a layer anew with every `forward` of a module, and use it there."""
        from torchlint.model.modules.fresh_layers import fresh_layers

        return fresh_layers(self.project.evaluator(ANYWHERE), self)

    def early_parts(self) -> Iterator[EarlyPart]:
        """Yield what constructors give their modules before `Module.__init__` has run, the first of each."""
        from torchlint.model.modules.early_parts import early_parts

        return early_parts(self.project.evaluator(ANYWHERE), self)

    def recurrent_dropouts(self) -> Iterator[Place]:
        """Yield the dropout that recurrent layers are given which, being single ones, apply none."""
        from torchlint.model.modules.recurrent_dropout import recurrent_dropouts

        return recurrent_dropouts(self.project.evaluator(ANYWHERE), self)
