"""The call paths on which training reaches a place, and whether their arguments let it run there.

`if mode == "cpu":` does not run under calls that all pass `"gpu"`, directly or through other functions, and neither
does what is called there. Under calls on one object, `self.forward(x)` runs the method of its class, and no override of
another.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import FAR
from torchlint.model.call_graph.callers import OBJECT_CALLS
from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.training.parameter_tests import lets_run, tests_of_parameters
from torchlint.model.values.frames import frame_for
from torchlint.model.values.value_sets import Function, Instance
from torchlint.syntax.around import is_self

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Frame
    from torchlint.project.dependencies import Table
    from torchlint.syntax.scope import Scope

Story: TypeAlias = "tuple[Step, ...]"

# A loss in a module of losses, and what that calls: the model itself is further away than values are followed.
_MOST_FRAMES = 4
# A function with more calls is a library's, and they may pass anything.
_MOST_CALLS = 10
# If none of so many calls leads to a place, hardly any other does.
_MOST_TRIED = 200


@dataclass(frozen=True, slots=True)
class Way:
    """The calls from a training loop to a function, and the frame of the last; None if it may have any arguments."""

    story: Story
    frame: Frame | None


class Ways:
    """The call paths on which training reaches functions; `loop_around` returns the training loop of a call."""

    def __init__(self, ev: Evaluator, loop_around: Callable[[Place], Step | None]) -> None:
        self._ev = ev
        self._loop_around = loop_around
        self._calls: dict[Scope, list[tuple[Function, Place]]] = {}
        self._contracts: dict[Scope, Step] = {}
        self._stories: Table[Scope, Story | None] = ev.project.library.dependencies.table()
        self._left = 0

    def note_call(self, function: Function, call: Place) -> None:
        """Note that a function is called at every iteration of a loop, or call of the function around the call."""
        calls = self._calls.setdefault(function.scope, [])
        if all(known.expression is not call.expression for _, known in calls):
            calls.append((function, call))

    def note_contract(self, function: Function, step: Step) -> None:
        """Note that a framework calls a function at every step."""
        self._contracts.setdefault(function.scope, step)

    def story_of(self, place: Place) -> Story | None:
        """Return the first path to a place whose tests hold, by the parameters that they read."""
        asked, scope = self._ev.project.library.dependencies, place.scope
        if tests_of_parameters(self._ev, place):
            return self._first(place)
        if scope not in self._stories:
            self._stories[scope] = asked.answered(lambda: self._first(place))
        return asked.recalled(self._stories[scope])

    def frames_at(self, place: Place) -> Iterator[Frame]:
        """Yield the frames in which steps reach a place through calls of objects: `forward` has no callers by name."""
        return self._frames_at(place, _MOST_FRAMES, iter(range(_MOST_TRIED)))

    def _frames_at(self, place: Place, most: int, tries: Iterator[int]) -> Iterator[Frame]:
        is_object_call = place.scope.name in OBJECT_CALLS
        for function, call in self._calls.get(place.scope, ()) if most else ():
            if next(tries, None) is None:
                return
            for outer in self._frames_around(call, most - 1, tries, is_needed=not is_object_call):
                frame = frame_for(call.within(outer), function, _MOST_FRAMES)
                if frame is not None and lets_run(self._ev, place, frame):
                    yield frame

    def _frames_around(
        self, call: Place, most: int, tries: Iterator[int], *, is_needed: bool
    ) -> Iterator[Frame | None]:
        """Yield the frames in which a call may be made, None for any other unless one is needed."""
        if (frame := call.frame) is not None:
            around = frame.call
            further = self._frames_around(around, most, tries, is_needed=False) if around is not None else (None,)
            yield from (frame.called_in(outer) for outer in further)
            return
        yield from self._frames_at(call, most, tries)
        if not is_needed:
            yield None

    def ways_to(self, place: Place) -> Iterator[Way]:
        """Yield the paths to a place whose tests hold."""
        self._left = _MOST_TRIED
        ways = self._ways(place.scope, frozenset())
        return (way for way in ways if lets_run(self._ev, place, way.frame))

    def _first(self, place: Place) -> Story | None:
        return next((way.story for way in self.ways_to(place)), None)

    def _ways(self, scope: Scope, inside: frozenset[Scope]) -> Iterator[Way]:
        """Yield the paths to a function, in the order in which they were noted."""
        if scope in self._contracts:
            yield Way((self._contracts[scope],), None)
        calls = self._calls.get(scope, ())
        for function, call in calls:
            for way in self._ways_around(call, inside | {scope}):
                at = call if call.frame is not None else call.within(way.frame)
                if not _is_own(self._ev, function, at):
                    continue
                frame = frame_of(at, function) if len(calls) <= _MOST_CALLS else None
                yield Way((*way.story, entering_step(function, call)), frame)

    def _ways_around(self, call: Place, inside: frozenset[Scope]) -> Iterator[Way]:
        """Yield the paths to a call: the loop that it is in, and those to the function around that let it run."""
        if (loop := self._loop_around(call)) is not None:
            yield Way((loop,), None)
        elif call.scope not in inside and len(inside) <= FAR and self._left > 0:
            self._left -= 1
            yield from (way for way in self._ways(call.scope, inside) if lets_run(self._ev, call, way.frame))


def _is_own(ev: Evaluator, function: Function, call: Place) -> bool:
    """Tell whether a call may run a method: of `self`, if the path shows where that is made, its class has that."""
    receiver = call.frame.receiver if call.frame is not None else None
    made = receiver.origin.expression if receiver is not None and receiver.origin is not None else None
    match call.expression, receiver.value if receiver is not None else None:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)), Instance(kind=kind):
            if not is_self(owner) or not isinstance(made, ast.Call) or function.scope.name != name:
                return True
            method = method_of(ev, kind, name)
            return method is None or method.scope is function.scope
        case _:
            return True


def entering_step(function: Function, call: Place) -> Step:
    """Return the step of a story by which a call, or the read of a property, enters a function."""
    verb = "read" if isinstance(call.expression, ast.Attribute) else "called"
    return call.step(f"`{function.scope.qualified_name}` is {verb} in every step here")


def frame_of(call: Place, function: Function) -> Frame | None:
    """Return the frame of a call, None if it is unknown which argument is passed for which parameter."""
    is_known = function.receiver is not None or not function.scope.is_method
    return frame_for(call, function, FAR) if is_known else None
