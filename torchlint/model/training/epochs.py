"""Loops that train beyond the single step: over epochs, around a call that trains one."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from torchlint.model.linking.callees import callees_of
from torchlint.model.linking.callers import object_callers_of
from torchlint.model.place import Place
from torchlint.model.syntax.around import loops_around
from torchlint.model.syntax.scope import Scope
from torchlint.model.values.possible import Function

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.syntax.exits import LoopNode
    from torchlint.model.training.steps import Training
    from torchlint.model.values.evaluator import Evaluator

_DEEPEST = 3


def training_loop_around(ev: Evaluator, training: Training, place: Place) -> tuple[Place, LoopNode] | None:
    """Return the loop with whose rounds training goes on after a place, and the place in it, or None.

    The loop stands around the place itself, or around a call of the function that the place is in.
    """
    pending = deque([(place, 0)])
    seen: set[Scope] = set()
    while pending:
        one, depth = pending.popleft()
        for loop in loops_around(one):
            if trains_within(ev, training, one.file, loop):
                return one, loop
        if one.scope.kind == "function" and one.scope not in seen and depth < _DEEPEST:
            seen.add(one.scope)
            function = Function(one.file, one.scope)
            callers = (*ev.callers(function), *object_callers_of(ev, function))
            pending.extend((caller.place, depth + 1) for caller in callers)
    return None


def trains_within(ev: Evaluator, training: Training, file: SourceFile, loop: LoopNode) -> bool:
    """Tell whether the body of a loop makes training steps, itself or in what it calls."""
    if loop in training.loops or any(file.index.is_in_body(inner, loop) for inner in _loops_in(training, file)):
        return True
    stepping = {source.index.home[one][0].scope for one, source in training.loops.items()}
    calls = [Place(file, call, statement) for call, statement in file.calls_in_scope(file.index.home[loop][0].scope)]
    pending = deque((call, 0) for call in calls if file.index.is_in_body(call.statement, loop))
    seen: set[Scope] = set()
    while pending:
        place, depth = pending.popleft()
        for function in callees_of(ev, place):
            if function.scope in stepping:
                return True
            if function.scope not in seen and depth < _DEEPEST:
                seen.add(function.scope)
                inner_calls = function.file.calls_in_scope(function.scope)
                pending.extend((Place(function.file, call, at), depth + 1) for call, at in inner_calls)
    return False


def _loops_in(training: Training, file: SourceFile) -> list[LoopNode]:
    return [loop for loop, source in training.loops.items() if source is file]
