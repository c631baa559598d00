"""Whether the same run has trained before a place: the files it finds were written by this machine."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.training.fitting import fits, holds_fit
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.earlier_statements import any_earlier
from torchlint.model.values.value_sets import Function
from torchlint.syntax.exits import LOOPS
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Block

_LOADS = re.compile(r"(?<!down)(?<!up)load(?!er)")


def has_trained_before(ev: Evaluator, place: Place) -> bool:
    """Tell whether every path to a place has trained: in its function, or before each call of its method."""
    if _comes_after_training(ev, place):
        return True
    scope = place.scope
    # A function reads any file it is passed; an object that has trained reads its own file.
    callers = ev.callers(Function(place.file, scope)) if scope.is_method else ()
    return bool(callers) and all(_comes_after_training(ev, caller.place) for caller in callers)


def _comes_after_training(ev: Evaluator, place: Place) -> bool:
    if _has_trained(ev, place):
        return True
    tried = (one for block, _ in place.file.index.blocks_around(place.statement) for one in _tried_before(block))
    return any(_trains(ev, place, inner) for statement in tried for inner in _always_run(statement))


@any_earlier
def _has_trained(ev: Evaluator, earlier: Place) -> bool:
    """Tell whether a statement trains whenever it runs."""
    return any(_trains(ev, earlier, inner) for inner in _always_run(earlier.statement))


def _tried_before(block: Block) -> Iterator[ast.stmt]:
    """Yield the statements that have run of the `try` around an `else` or handler: `except RuntimeError: roll_back()`.

    A handler may be for a load before the training.
    """
    if not isinstance(block.outer, ast.Try):
        return
    if isinstance(block.owner, ast.ExceptHandler):
        yield from takewhile(lambda statement: not calls_a_load(statement), block.outer.body)
    elif block.arm == "orelse":
        yield from block.outer.body


def calls_a_load(statement: ast.stmt) -> bool:
    """Tell whether a statement calls something that loads, by its name: `load_checkpoint(path)`, no `DataLoader()`."""
    calls = (node for node in walk(statement) if isinstance(node, ast.Call))
    return any(_LOADS.search(callee_name(call)) for call in calls)


def _always_run(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield a statement and those inside that run with it; in training, loops run at least once."""
    yield statement
    if isinstance(statement, (*LOOPS, ast.With, ast.AsyncWith, ast.Try)):
        for inner in statement.body:
            yield from _always_run(inner)


def _trains(ev: Evaluator, place: Place, statement: ast.stmt) -> bool:
    if isinstance(statement, LOOPS):
        return step_loops_of(ev.project).has_loop(place.file, statement)
    value = getattr(statement, "value", None)
    if not isinstance(statement, (ast.Expr, ast.Assign)) or not isinstance(value, ast.Call):
        return False
    call = Place(place.file, value, statement)
    return fits(ev, call) or any(_holds_a_training_loop(ev, function) for function in ev.callees(call))


def _holds_a_training_loop(ev: Evaluator, function: Function) -> bool:
    inner = (node for node in walk(function.scope.node) if isinstance(node, LOOPS))
    return any(step_loops_of(ev.project).has_loop(function.file, loop) for loop in inner) or holds_fit(ev, function)
