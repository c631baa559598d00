"""What trains in a project, as reports see it: where nothing does in a file, that is all that they depend on.

Any training step may be reached from any file, so that what trains depends on most of a project; that a file has none
of it stays true over most edits elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.facts import fact

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from torchlint.model.interface import Evaluator, ParsedFile, Project
    from torchlint.model.place import Place
    from torchlint.model.training.call_paths import Story, Way
    from torchlint.model.training.step_loops import StepLoops
    from torchlint.model.values.value_sets import Frame
    from torchlint.syntax.exits import LoopNode
    from torchlint.syntax.scope import Scope

ANYWHERE = Path()


@fact
@dataclass(frozen=True, slots=True)
class TrainsIn:
    """The question whether anything runs at every training step in a file, or in any at all."""

    location: Path

    def __call__(self, ev: Evaluator) -> bool:
        """Return the answer."""
        if self.location == ANYWHERE:
            return bool(_step_loops(ev.project).loops)
        return self.location in ev.project.once(_locations)


def _locations(ev: Evaluator) -> frozenset[Path]:
    """Return where the files are in which anything runs at every training step."""
    return frozenset(file.location for file in _step_loops(ev.project).files)


@dataclass(frozen=True, slots=True)
class Training:
    """The step loops of a project, and the functions that run at every step."""

    project: Project

    @property
    def _found(self) -> StepLoops:
        return _step_loops(self.project)

    @property
    def is_anywhere(self) -> bool:
        """Tell whether there is any step loop."""
        return self.project.once(TrainsIn(ANYWHERE))

    @property
    def loops(self) -> Mapping[LoopNode, ParsedFile]:
        """Return every step loop, with its file."""
        return self._found.loops

    @property
    def updating(self) -> Iterator[tuple[LoopNode, ParsedFile]]:
        """Yield the loops whose iterations change parameters: any other only computes gradients."""
        return ((loop, file) for loop, file in self.loops.items() if loop in self._found.updating)

    @property
    def functions(self) -> Mapping[Scope, Story]:
        """Return the functions that run at every step, each with the path from the loop to its call."""
        return self._found.functions

    @property
    def files(self) -> frozenset[ParsedFile]:
        """Return the files in which anything runs at every step."""
        return self._found.files

    def is_in(self, file: ParsedFile) -> bool:
        """Tell whether anything in a file runs at every step."""
        return self.project.once(TrainsIn(file.location))

    def has_loop(self, file: ParsedFile, loop: ast.AST | None) -> bool:
        """Tell whether a statement of a file is a step loop."""
        return self.is_in(file) and loop in self._found.loops

    def has_function(self, file: ParsedFile, scope: Scope | None) -> bool:
        """Tell whether a function of a file runs at every step."""
        return self.is_in(file) and scope in self._found.functions

    def every_step(self, place: Place) -> Story | None:
        """Return why a place runs at every training step, or None if it does not."""
        return self._found.every_step(place) if self.is_in(place.file) else None

    def loop_of_update(self, place: Place) -> LoopNode | None:
        """Return the loop around a place whose iterations make a whole step, possibly with accumulated gradients."""
        return self._found.loop_of_update(place) if self.is_in(place.file) else None

    def frames_at(self, place: Place) -> Iterator[Frame]:
        """Yield the frames of calls of objects in which steps reach a place: `forward` has no callers by name."""
        return self._found.frames_at(place)

    def ways_to(self, place: Place) -> Iterator[Way]:
        """Yield the call paths on which steps reach a place, each with the frame of its last call."""
        return self._found.ways_to(place)


def step_loops_of(project: Project) -> Training:
    """Return what trains in a project; it is found with a memo of its own, so that no other query changes it."""
    return Training(project)


def _step_loops(project: Project) -> StepLoops:
    """Return the step loops of a project; what finds them is imported where something may train."""
    from torchlint.model.training.step_loops import StepLoops

    return project.lasting(StepLoops)
