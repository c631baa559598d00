"""A file, and the questions that a rule may ask of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from torchlint.model.attributes.kept_arguments import KeptArguments
from torchlint.model.facts import share_key_of
from torchlint.model.training.what_trains import step_loops_of
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
    """A file of a project, as rules see it: what is written in it, and what that means.

    The module that answers a question is imported when it is first asked.
    """

    def __init__(self, project: Project, location: Path, source: Source, tree: ast.Module) -> None:
        super().__init__(project, location, source, tree)
        if "locals()" in source.text:
            self.index.unwritten = KeptArguments(self).stores

    def evaluator(self, world: World = ANYWHERE) -> Evaluator:
        """Return the evaluator for a world."""
        return self.project.evaluator(world)

    def share_of(self, question: Callable[[Evaluator], Mapping[str, Sequence[_Found]]]) -> Sequence[_Found]:
        """Return the part of this file in the answer to a question about the whole project, which is asked once."""
        key = share_key_of(question, self.path)
        if key is not None and not self.project.told(key, lambda: bool(self.project.once(question).get(self.path))):
            return ()
        return self.project.once(question).get(self.path, ())

    def every_step(self, place: Place) -> Story | None:
        """Return the path from a training loop to a place that runs at every step, or None if there is none."""
        return step_loops_of(self.project).every_step(place)

    def every_evaluated_batch(self, place: Place) -> Story | None:
        """Return the evaluation loop that runs a place in every iteration, or None if it is in none."""
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
        """Return what finds a name for the device at places that are to be fixed."""
        from torchlint.model.edits.device_names import DeviceNames

        return DeviceNames(self, tuple(places), is_any_accelerator=is_any_accelerator)

    def late_stores(self, name: str) -> Iterator[tuple[EnvironmentStore, Story]]:
        """Yield where the file sets an environment variable for CUDA after CUDA was initialized, and the path there."""
        from torchlint.model.devices.cuda_start import late_stores

        return late_stores(self.evaluator(), self, name)

    def absent_devices(self) -> Iterator[AbsentDevice]:
        """Yield the GPUs that the file uses beyond those that the program makes visible."""
        from torchlint.model.devices.visible import absent_devices

        return absent_devices(self.evaluator(), self)

    def discarded_copies(self) -> Iterator[Call]:
        """Yield the calls that move, convert or detach what is surely a tensor, and whose result is not used."""
        from torchlint.model.devices.discarding import discarded_copies

        return discarded_copies(self.evaluator(), self)

    def shuffles_on_host(self) -> Iterator[Shuffle]:
        """Yield where the file shuffles with a generator on the CPU in a program whose default device is the GPU."""
        from torchlint.model.devices.default_device import shuffles_on_host

        return shuffles_on_host(self.evaluator(), self)
