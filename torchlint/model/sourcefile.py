"""A file, and the questions that a rule may ask of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from torchlint.model.attributes.kept_arguments import KeptArguments
from torchlint.model.training.step_loops import step_loops_of
from torchlint.model.worlds import ANYWHERE, World
from torchlint.model.written import WrittenFile
from torchlint.source import Source

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.checkpoints.loading import Load
    from torchlint.model.devices.default_device import Shuffle
    from torchlint.model.devices.visible import AbsentDevice
    from torchlint.model.edits.device_names import DeviceNames
    from torchlint.model.interface import Evaluator, Project
    from torchlint.model.options.environment import EnvironmentStore
    from torchlint.model.place import Place
    from torchlint.model.tensors.loader_arguments import Contradiction
    from torchlint.model.training.call_paths import Story

_Found = TypeVar("_Found")


class SourceFile(WrittenFile):
    """A file of a project, as rules see it: beside what is written in it, what that means.

    What answers a question is imported when somebody asks it.
    """

    def __init__(self, project: Project, location: Path, source: Source, tree: ast.Module) -> None:
        super().__init__(project, location, source, tree)
        if "locals()" in source.text:
            self.index.unwritten = KeptArguments(self).stores

    def evaluator(self, world: World = ANYWHERE) -> Evaluator:
        """Return what answers what expressions may be, on some kind of machine."""
        return self.project.evaluator(world)

    def share_of(self, question: Callable[[Evaluator], Mapping[str, Sequence[_Found]]]) -> Sequence[_Found]:
        """Return what a question about the whole project, which is asked once, finds in this file."""
        return self.project.once(question).get(self.path, ())

    def every_step(self, place: Place) -> Story | None:
        """Return the way from a training loop to a place that runs with every step, or None where none does."""
        return step_loops_of(self.project).every_step(place)

    def every_evaluated_batch(self, place: Place) -> Story | None:
        """Return the evaluation loop with whose every round a place runs, or None where it is in none."""
        from torchlint.model.training.evaluation import every_evaluated_batch

        return every_evaluated_batch(self.evaluator(), step_loops_of(self.project), place)

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

    def contradictory_loaders(self) -> Iterator[Contradiction]:
        """Yield the arguments of loaders that contradict another one, or the dataset."""
        from torchlint.model.tensors.loader_arguments import contradictory_loaders

        return contradictory_loaders(self.evaluator(), self)

    def device_names(self, places: Iterable[Place], *, is_any_accelerator: bool = False) -> DeviceNames:
        """Return what finds a name for the device at places that are to be mended."""
        from torchlint.model.edits.device_names import DeviceNames

        return DeviceNames(self, tuple(places), is_any_accelerator=is_any_accelerator)

    def late_stores(self, name: str) -> Iterator[tuple[EnvironmentStore, Story]]:
        """Yield where the file sets an environment variable for CUDA after CUDA was started, and how it was."""
        from torchlint.model.devices.cuda_start import late_stores

        return late_stores(self.evaluator(), self, name)

    def absent_devices(self) -> Iterator[AbsentDevice]:
        """Yield the GPUs that the file asks for beyond those that the program makes visible."""
        from torchlint.model.devices.visible import absent_devices

        return absent_devices(self.evaluator(), self)

    def discarded_copies(self) -> Iterator[Call]:
        """Yield the calls that move, convert or detach what is a tensor for sure, and whose result nobody takes."""
        from torchlint.model.devices.discarding import discarded_copies

        return discarded_copies(self.evaluator(), self)

    def shuffles_on_host(self) -> Iterator[Shuffle]:
        """Yield where the file shuffles with a generator on the CPU in a program whose default device is the GPU."""
        from torchlint.model.devices.default_device import shuffles_on_host

        return shuffles_on_host(self.evaluator(), self)
