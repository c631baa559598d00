"""What a file may be asked about what is saved and loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.training.steps import training_of
from torchlint.model.worlds import ANYWHERE
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.model.checkpoints.aliasing import StateAlias
    from torchlint.model.checkpoints.loading import Load
    from torchlint.model.checkpoints.restoring import Taken
    from torchlint.model.checkpoints.saved import PickledModule
    from torchlint.model.uncalled import Uncalled


class AboutCheckpoints(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def loads(self) -> Iterator[Load]:
        """Yield the calls of `torch.load`, in source order."""
        from torchlint.model.checkpoints.loading import loads_of

        return loads_of(self)

    def project_loads(self) -> Iterator[Load]:
        """Yield the loads of files in the whole project, this file's first."""
        from torchlint.model.checkpoints.loading import loads_of

        yield from self.loads()
        for path in list(self.project.library.holding("torch.load(")):
            other = self.project.parsed(path)
            if other is not None and other is not self:
                yield from loads_of(other)

    def pickled_modules(self) -> Iterator[PickledModule]:
        """Yield the modules that the file saves whole."""
        from torchlint.model.checkpoints.saved import pickled_modules

        return pickled_modules(self.project.evaluator(ANYWHERE), self)

    def loaded_for_modules(self) -> Iterator[Taken]:
        """Yield the calls of `load_state_dict` whose result is taken for the module."""
        from torchlint.model.checkpoints.restoring import loaded_for_modules

        return loaded_for_modules(self.project.evaluator(ANYWHERE), self)

    def uncalled_methods(self) -> Iterator[Uncalled]:
        """Yield the methods that are named where what they do or return was wanted."""
        from torchlint.model.uncalled import uncalled_methods

        return uncalled_methods(self.project.evaluator(ANYWHERE), self)

    def state_aliases(self) -> Iterator[StateAlias]:
        """Yield the state dicts and modules that are kept by reference while training goes on."""
        from torchlint.model.checkpoints.aliasing import state_aliases

        return state_aliases(self.project.evaluator(ANYWHERE), training_of(self.project), self)
