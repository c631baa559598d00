"""What a file may be asked about what autograd records, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.worlds import ANYWHERE
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.tensors.copied import CopiedTensor
    from torchlint.model.training.forced_gradients import ForcedGradient
    from torchlint.model.training.leaf_changes import LeafChange
    from torchlint.model.training.misspelled_flags import MisspelledFlag


class AboutAutograd(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def leaf_changes(self) -> Iterator[LeafChange]:
        """Yield where leaves that want gradients are changed in place while autograd records, which it refuses."""
        from torchlint.model.training.leaf_changes import leaf_changes

        return leaf_changes(self.project.evaluator(ANYWHERE), self._file)

    def forced_gradients(self) -> Iterator[ForcedGradient]:
        """Yield where a computed loss is made to want gradients by hand before `backward()` starts from it."""
        from torchlint.model.training.forced_gradients import forced_gradients

        return forced_gradients(self.project.evaluator(ANYWHERE), self._file)

    def misspelled_flags(self) -> Iterator[MisspelledFlag]:
        """Yield where a misspelled `requires_grad` of a tensor or module is set, which nobody reads."""
        from torchlint.model.training.misspelled_flags import misspelled_flags

        return misspelled_flags(self.project.evaluator(ANYWHERE), self._file)

    def idle_modes(self) -> Iterator[Place]:
        """Yield the statements that make a mode of autograd, `torch.no_grad()`, and enter it nowhere."""
        from torchlint.model.training.idle_modes import idle_modes

        return idle_modes(self._file)

    def copied_tensors(self) -> Iterator[CopiedTensor]:
        """Yield the calls of `torch.tensor` with what surely is a tensor already, or a list of some."""
        from torchlint.model.tensors.copied import copied_tensors

        return copied_tensors(self.project.evaluator(ANYWHERE), self._file)
