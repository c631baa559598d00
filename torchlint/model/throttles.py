"""Whether something in a loop's body runs with every round, or only now and then.

Throttles are tests of a counter (`step % 100 == 0`, `i == len(loader) - 1`), flags that hold such a test, flags that
are cleared at the first use, clocks, log levels, and helpers that return one of these. An `except` block, a block that
leaves the loop and the message of an `assert` run once or not at all; `if not self.training:` is for evaluations. A
test of the rank is no throttle: that rank waits with every step.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.conditions import Condition, conditions, conditions_inside
from torchlint.model.exits import leaves_block
from torchlint.model.now_and_then import happens_now_and_then
from torchlint.model.place import Place
from torchlint.model.scope import Block
from torchlint.model.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator


def is_thinned(ev: Evaluator, place: Place, until: ast.stmt | None = None) -> bool:
    """Tell whether a place runs less often than the body of the loop `until` around it, or than its function."""
    if isinstance(place.statement, ast.Assert) and _is_in(place.expression, place.statement.msg):
        return True
    for block, _ in _blocks(place, until):
        if isinstance(block.owner, ast.ExceptHandler) or _leaves_for_good(place, block, until):
            return True
    return any(_thins(ev, place, condition) for condition in _conditions(place, until))


def _is_in(node: ast.expr, whole: ast.expr | None) -> bool:
    return whole is not None and any(inner is node for inner in walk(whole))


def _blocks(place: Place, until: ast.stmt | None) -> Iterator[tuple[Block, int]]:
    """Yield the blocks between a place and the body of a loop or function, that body left out."""
    for block, position in place.file.index.blocks_around(place.statement):
        if block.owner is until or block.owner is block.scope.node or block.owner is None:
            return
        yield block, position


def _leaves_for_good(place: Place, block: Block, until: ast.stmt | None) -> bool:
    """Tell whether an arm ends by leaving the loop, or the program: it runs once at most."""
    if not isinstance(block.owner, ast.If) or not leaves_block(block.body, place.file.index):
        return False
    leaving = (ast.Raise, ast.Break, ast.Return) if until is not None else (ast.Raise,)
    last = block.body[-1]
    return isinstance(last, leaving) or (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call))


def _conditions(place: Place, until: ast.stmt | None) -> Iterator[Condition]:
    parents = place.file.parents_in(place.statement)
    inside = conditions_inside(place.statement, place.expression, parents)
    for condition in (*inside, *conditions(place.file.index, place.statement, until)):
        if isinstance(condition, Condition) and condition.statement is not until:
            yield condition


def _thins(ev: Evaluator, place: Place, condition: Condition) -> bool:
    if isinstance(condition.statement, (ast.While, ast.Assert)):
        return False
    if isinstance(condition.statement, ast.If) and (_holds_a_step(place, condition) or _refuses(place, condition)):
        return False
    at = Place(place.file, condition.test, condition.statement, place.frame)
    return happens_now_and_then(ev, at, condition.holds)


def _holds_a_step(place: Place, condition: Condition) -> bool:
    """Tell whether the arm that a place stands in makes a training step itself: gradients that are accumulated."""
    assert isinstance(condition.statement, ast.If)
    arm = condition.statement.body if condition.holds else condition.statement.orelse
    if not arm or place.statement.lineno < arm[0].lineno or place.statement.lineno > (arm[-1].end_lineno or 0):
        return False
    first, last = arm[0].lineno, arm[-1].end_lineno or 0
    steps = (call for name in ("backward", "step") for call, _ in place.file.index.calls(name))
    return any(first <= call.lineno <= last and _is_step(call) for call in steps)


def _refuses(place: Place, condition: Condition) -> bool:
    """Tell whether a test further up only refuses what it cannot do: `if n != 1: raise`."""
    assert isinstance(condition.statement, ast.If)
    leaving = condition.statement.orelse if condition.holds else condition.statement.body
    is_above = (condition.statement.end_lineno or 0) < place.statement.lineno
    return is_above and bool(leaving) and isinstance(leaving[-1], ast.Raise)


def _is_step(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and not re.search("sched|lr", written(call.func.value).lower())
