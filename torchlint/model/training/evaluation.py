"""Evaluation loops: loops over batches where nothing is recorded, or after `.eval()`, that make no training step."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.syntax.exits import loops_of
from torchlint.model.syntax.walk import walk
from torchlint.model.training.recording import records
from torchlint.model.training.throttles import is_thinned

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.training.steps import Training
    from torchlint.model.values.evaluator import Evaluator


def every_evaluated_batch(ev: Evaluator, training: Training, place: Place) -> tuple[Step, ...] | None:
    """Return the evaluation loop with whose every round a place runs, or None where it is in none."""
    around = list(loops_of(place.file.index, place.statement))
    if any(loop in training.loops for loop in around):
        return None
    # A loop over epochs may train first, and evaluate then.
    loops = [loop for loop in around if not isinstance(loop, ast.While) and _evaluates(place, loop)]
    if not loops or is_thinned(ev, place, loops[-1]):
        return None
    return (place.file.header(loops[-1]).step("this loop evaluates"),)


def _evaluates(place: Place, loop: ast.stmt) -> bool:
    # `forward` is given one batch: what it goes through is in that, whichever of its parts it switches before.
    is_in_batch = place.scope.is_method and place.scope.name == "forward"
    return not records(place) or (comes_after_eval(place, loop) and not is_in_batch)


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
