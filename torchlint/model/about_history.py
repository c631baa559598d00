"""What a file may be asked about names that PyTorch has dropped or replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.worlds import ANYWHERE
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.finding import Edit
    from torchlint.model.calls import Call
    from torchlint.model.history.deprecated_arguments import DeprecatedArgument
    from torchlint.model.history.deprecated_names import DeprecatedName
    from torchlint.model.history.indexed_scalars import IndexedScalar
    from torchlint.model.history.legacy_amp import LegacyAmp
    from torchlint.model.history.removals import RemovedName
    from torchlint.model.history.volatile import VolatileVariable


class AboutHistory(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def removed_names(self) -> Iterator[RemovedName]:
        """Yield where the file imports or reads what PyTorch no longer has, and is not prepared for that."""
        from torchlint.model.history.removals import removed_names

        return removed_names(self.project.evaluator(ANYWHERE), self)

    def legacy_amp(self) -> Iterator[tuple[LegacyAmp, tuple[Edit, ...]]]:
        """Yield where the file uses mixed precision by the names of one kind of device, and what says the same."""
        from torchlint.model.history.legacy_amp import edits_of, legacy_amp

        ev = self.project.evaluator(ANYWHERE)
        return ((one, edits_of(ev, one)) for one in legacy_amp(ev, self))

    def deprecated_arguments(self) -> Iterator[DeprecatedArgument]:
        """Yield where the file passes arguments that PyTorch or torchvision warns of, and what says the same."""
        from torchlint.model.history.deprecated_arguments import deprecated_arguments

        return deprecated_arguments(self.project.evaluator(ANYWHERE), self)

    def deprecated_names(self) -> Iterator[DeprecatedName]:
        """Yield where the file calls what PyTorch warns of, and what stands for it."""
        from torchlint.model.history.deprecated_names import deprecated_names

        return deprecated_names(self.project.evaluator(ANYWHERE), self)

    def reentrant_checkpoints(self) -> Iterator[Call]:
        """Yield where the file checkpoints a computation and does not say how it is to be done again."""
        from torchlint.model.history.reentrant_checkpoints import reentrant_checkpoints

        return reentrant_checkpoints(self.project.evaluator(ANYWHERE), self)

    def volatile_variables(self) -> Iterator[VolatileVariable]:
        """Yield where the file asks for variables of which nothing is recorded, which does nothing since 0.4."""
        from torchlint.model.history.volatile import volatile_variables

        return volatile_variables(self.project.evaluator(ANYWHERE), self)

    def indexed_scalars(self) -> Iterator[IndexedScalar]:
        """Yield where the file takes the first number of what has no dimension: `loss.data[0]`."""
        from torchlint.model.history.indexed_scalars import indexed_scalars

        return indexed_scalars(self.project.evaluator(ANYWHERE), self)
