"""Loops that train beyond the single step: over epochs, around a call that trains one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.headers import header
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Function
from torchlint.syntax.around import loops_around

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.exits import LoopNode
    from torchlint.syntax.scope import Scope

_Where: TypeAlias = "tuple[str, int, int]"
"""A loop, by the path of its file, its line and its column: a file may be parsed again meanwhile."""


def training_loop_around(ev: Evaluator, place: Place) -> tuple[Place, LoopNode] | None:
    """Return the loop whose next iteration trains on after a place, and the place in it, or None.

    The loop is around the place itself, or around a call of the function that the place is in.
    """
    return _loop_around(ev, place, ev.project.once(_training_loops))


def training_loops_around(ev: Evaluator, place: Place) -> Iterator[tuple[Place, LoopNode]]:
    """Yield each such loop that leads to a place once, the nearest call first."""
    return _loops_around(ev, place, ev.project.once(_training_loops))


def updating_loop_around(ev: Evaluator, place: Place) -> tuple[Place, LoopNode] | None:
    """Return the same of a loop whose iterations surely change parameters: others may only compute gradients."""
    return _loop_around(ev, place, ev.project.once(_updating_loops))


def _loop_around(ev: Evaluator, place: Place, training: frozenset[_Where]) -> tuple[Place, LoopNode] | None:
    return next(_loops_around(ev, place, training), None)


def _loops_around(ev: Evaluator, place: Place, training: frozenset[_Where]) -> Iterator[tuple[Place, LoopNode]]:
    seen: set[LoopNode] = set()
    for one in _with_callers(ev, place) if training else ():
        around = (loop for loop in loops_around(one) if _where(one.file, loop) in training)
        if (loop := next(around, None)) is not None and loop not in seen:
            seen.add(loop)
            yield one, loop


def _training_loops(ev: Evaluator) -> frozenset[_Where]:
    """Return the loops of a project whose iterations make training steps, directly or in callees."""
    return _with_loops_around(ev, step_loops_of(ev.project).loops.items())


def _updating_loops(ev: Evaluator) -> frozenset[_Where]:
    return _with_loops_around(ev, step_loops_of(ev.project).updating)


def _with_loops_around(ev: Evaluator, loops: Iterable[tuple[LoopNode, ParsedFile]]) -> frozenset[_Where]:
    """Return step loops, and the loops around them and around what calls them.

    The search goes from the step loops outwards: inwards from each loop it would visit all callees.
    """
    found: set[_Where] = set()
    for loop, file in loops:
        found.add(_where(file, loop))
        for one in _with_callers(ev, header(file, loop)):
            found.update(_where(one.file, around) for around in loops_around(one))
    return frozenset(found)


def _with_callers(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield a place and the calls that lead to it, nearest first, each function's once."""
    pending = deque([(place, 0)])
    seen: set[Scope] = set()
    while pending:
        one, depth = pending.popleft()
        yield one
        if one.scope.kind == "function" and one.scope not in seen and depth < NESTED:
            seen.add(one.scope)
            function = Function(one.file, one.scope)
            callers = (*ev.callers(function), *object_callers_of(ev, function))
            pending.extend((caller.place, depth + 1) for caller in callers)


def _where(file: ParsedFile, loop: LoopNode) -> _Where:
    return file.path, loop.lineno, loop.col_offset
