"""Evaluation loops: loops over batches where nothing is recorded, or after `.eval()`, that make no training step."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.throttles import is_thinned
from torchlint.model.values.possible import Function
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import loops_of
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator
    from torchlint.model.training.steps import Training

_DEEPEST = 3


def every_evaluated_batch(ev: Evaluator, training: Training, place: Place) -> tuple[Step, ...] | None:
    """Return the evaluation loop with whose every round a place runs, or None where it is in none."""
    around = list(loops_of(place.file.index, place.statement))
    if any(loop in training.loops for loop in around):
        return None
    # A loop over epochs may train first, and evaluate then.
    loops = [loop for loop in around if not isinstance(loop, ast.While) and _evaluates(place, loop)]
    if not loops or is_thinned(ev, place, loops[-1]):
        return None
    return (header(place.file, loops[-1]).step("this loop evaluates"),)


def _evaluates(place: Place, loop: ast.stmt) -> bool:
    # `forward` is given one batch: what it goes through is in that, whichever of its parts it switches before.
    is_in_batch = place.scope.is_method and place.scope.name == "forward"
    return not is_recorded(place) or (comes_after_eval(place, loop) and not is_in_batch)


def comes_after_eval(place: Place, loop: ast.stmt) -> bool:
    """Tell whether the function switches a module to evaluation before the loop, and not back."""
    switches = sorted(
        (call.lineno, name)
        for name in ("eval", "train")
        for call, statement in place.file.index.calls(name)
        if isinstance(call.func, ast.Attribute)
        and call.lineno < loop.lineno
        and place.file.index.home[statement][0].scope is place.scope
    )
    return bool(switches) and switches[-1][1] == "eval"


def is_given_batch(call: Call) -> bool:
    """Tell whether a call is given something that each round of a loop has another of."""
    given = (one.expression for one in (*call.arguments, *call.keywords.values()))
    names = {node.id for one in given for node in walk(one) if isinstance(node, ast.Name)}
    generators = (node for node in call.file.parents_in(call.statement) if isinstance(node, ast.comprehension))
    targets = (node for one in generators for node in walk(one.target))
    if any(isinstance(node, ast.Name) and node.id in names for node in targets):
        return True
    bindings = [binding.statement for name in names for binding in call.scope.bindings.get(name, ())]
    loops = (loop for loop in loops_around(call) if isinstance(loop, ast.For) and not _is_counted(loop))
    return any(one is loop or call.file.index.is_in_body(one, loop) for loop in loops for one in bindings)


def _is_counted(loop: ast.For) -> bool:
    return isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and "range" in loop.iter.func.id


def is_within_step(ev: Evaluator, training: Training, place: Place, depth: int = 0) -> bool:
    """Tell whether a place lies in the rounds of a loop that trains, or is called from there, be it now and then."""
    if place.scope in training.functions or any(loop in training.loops for loop in loops_around(place)):
        return True
    if place.scope.kind != "function" or depth >= _DEEPEST:
        return False
    callers = ev.callers(Function(place.file, place.scope))
    return any(is_within_step(ev, training, caller.place, depth + 1) for caller in callers)


def goes_through_modules(loop: ast.stmt) -> bool:
    """Tell whether each round of a loop calls another module: `for layer in layers`, or `layers[i]` for an index."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return False
    names = {node.id for node in walk(loop.target) if isinstance(node, ast.Name)}
    calls = (node for statement in loop.body for node in walk(statement) if isinstance(node, ast.Call))
    return any(_is_picked_by(call.func, names) for call in calls)


def _is_picked_by(function: ast.expr, names: set[str]) -> bool:
    match function:
        case ast.Name(id=name) | ast.Subscript(slice=ast.Name(id=name)):
            return name in names
        case _:
            return False
