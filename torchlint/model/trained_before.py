"""Whether the same run has trained before a place: what it finds on disk there was written by this machine."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.exits import LOOPS
from torchlint.model.place import Place
from torchlint.model.values import Function
from torchlint.model.walk import walk

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator


def has_trained_before(ev: Evaluator, place: Place) -> bool:
    """Tell whether whoever comes to a place has trained: in its function, or before each call of its method."""
    if _comes_after_training(ev, place):
        return True
    scope = place.scope
    # A function reads whatever it is told to; an object that has trained reads its own file.
    callers = ev.callers(Function(place.file, scope)) if scope.is_method else ()
    return bool(callers) and all(_comes_after_training(ev, caller.place) for caller in callers)


def _comes_after_training(ev: Evaluator, place: Place) -> bool:
    for block, position in place.file.index.blocks_around(place.statement):
        for statement in block.body[:position]:
            if any(_trains(ev, place, inner) for inner in _always_run(statement)):
                return True
    return False


def _always_run(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield a statement and those inside that run with it; loops run at least once in whoever trains."""
    yield statement
    if isinstance(statement, (*LOOPS, ast.With, ast.AsyncWith, ast.Try)):
        for inner in statement.body:
            yield from _always_run(inner)


def _trains(ev: Evaluator, place: Place, statement: ast.stmt) -> bool:
    if isinstance(statement, LOOPS):
        return statement in ev.project.training.loops
    value = getattr(statement, "value", None)
    if not isinstance(statement, (ast.Expr, ast.Assign)) or not isinstance(value, ast.Call):
        return False
    functions = ev.callees(Place(place.file, value, statement))
    return any(_holds_a_training_loop(ev, function) for function in functions)


def _holds_a_training_loop(ev: Evaluator, function: Function) -> bool:
    inner = (node for node in walk(function.scope.node) if isinstance(node, LOOPS))
    return any(loop in ev.project.training.loops for loop in inner)
