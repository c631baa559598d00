"""What a file may be asked about what modules are trained with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.worlds import ANYWHERE
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.model.tensors.loader_arguments import Contradiction
    from torchlint.model.tensors.shared_generators import SharedGenerator


class AboutData(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def contradictory_loaders(self) -> Iterator[Contradiction]:
        """Yield the arguments of loaders that contradict another one, or the dataset."""
        from torchlint.model.tensors.loader_arguments import contradictory_loaders

        return contradictory_loaders(self.project.evaluator(ANYWHERE), self)

    def shared_generators(self) -> Iterator[SharedGenerator]:
        """Yield the generators of datasets that every worker of a loader draws the same from."""
        from torchlint.model.tensors.shared_generators import shared_generators

        return shared_generators(self.project.evaluator(ANYWHERE), self)
