"""Whether something in a loop's body runs with every round, or only now and then.

Throttles are tests of a counter (`step % 100 == 0`, `i == len(loader) - 1`), flags that hold such a test, flags that
are cleared at the first use, clocks, log levels, modes of debugging and testing, and helpers that return one of these;
`step % 100 == 0 or done` is one still, and so is `if self.mask is None:` before what makes the mask and keeps it. What
a tensor has to hold for it (`if torch.isnan(loss)`) is an exception. An `except` block, a block that leaves the loop
and the message of an `assert` run once or not at all, and what a constant keeps out never runs; `if not self.training:`
is for evaluations. A test of the rank is no throttle: that rank waits with every step.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.guards.constants import decided_by_constants
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.guards.facts import facts_at
from torchlint.model.place import Place
from torchlint.model.syntax.conditions import Condition, conditions, conditions_inside
from torchlint.model.syntax.exits import leaves_block, loops_of
from torchlint.model.syntax.index import Index
from torchlint.model.syntax.scope import Block, Scope
from torchlint.model.syntax.walk import walk, written
from torchlint.model.tensors.data_tests import is_an_exception
from torchlint.model.training.caching import is_made_once
from torchlint.model.training.inner_rounds import comes_with_each_run
from torchlint.model.training.last_rounds import leaves_further_down
from torchlint.model.training.now_and_then import happens_now_and_then
from torchlint.model.values.tabled import tabled

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


_STEPS = ("backward", "step")
_NO_TESTS: frozenset[tuple[ast.stmt, ast.expr]] = frozenset()


def is_thinned(ev: Evaluator, place: Place, until: ast.stmt | None = None) -> bool:
    """Tell whether a place runs less often than the body of the loop `until` around it, or than its function."""
    if isinstance(place.statement, ast.Assert) and _is_in(place.expression, place.statement.msg):
        return True
    if _is_beside_training(place, until):
        return True
    for block, _ in _blocks(place, until):
        if isinstance(block.owner, ast.ExceptHandler) or _leaves_for_good(place, block, until):
            return True
    return any(_thins(ev, place, condition, until) for condition in _conditions(place, until))


def _is_beside_training(place: Place, until: ast.stmt | None) -> bool:
    """Tell whether no round that comes to a place computes gradients: `if phase == "train": … else: …`."""
    index = place.file.index
    calls = [
        (call, statement) for call, statement in index.calls("backward") if until is None or _has([until], statement)
    ]
    steps = [Place(place.file, *one) for one in calls if index.home[one[1]][0].scope is place.scope]
    return bool(steps) and all(exclude_each_other(place, step) for step in steps)


def _is_in(node: ast.expr, whole: ast.expr | None) -> bool:
    return whole is not None and any(inner is node for inner in walk(whole))


def _blocks(place: Place, until: ast.stmt | None) -> Iterator[tuple[Block, int]]:
    """Yield the blocks between a place and the body of a loop or function, that body left out."""
    for block, position in place.file.index.blocks_around(place.statement):
        if block.owner is until or block.owner is block.scope.node or block.owner is None:
            return
        yield block, position


def _leaves_for_good(place: Place, block: Block, until: ast.stmt | None) -> bool:
    """Tell whether an arm ends by leaving the loop, or the program, or comes to that below: it runs once at most."""
    if until is not None and leaves_further_down(place.file.index, block, until):
        return True
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


def _thins(ev: Evaluator, place: Place, condition: Condition, until: ast.stmt | None) -> bool:
    if isinstance(condition.statement, (ast.While, ast.Assert)):
        return False
    facts = facts_at(place)
    test, holds = facts.deciding(condition.test, condition.holds)
    at = Place(place.file, test, condition.statement, place.frame)
    if decided_by_constants(ev, at) is (not holds):
        return True
    if isinstance(condition.statement, ast.If):
        if _makes_the_step(ev, place, condition):
            # `if torch.isnan(loss): scaler.step(…)`, `else: scaler.step(…)`: the step does not depend on the test.
            return _steps_either_way(place, condition) and is_an_exception(ev, at, holds)
        if _refuses(place, condition):
            return False
    if is_made_once(place.file.index, condition, facts):
        return True
    if happens_now_and_then(ev, at, holds) and not comes_with_each_run(at, holds, until):
        return True
    # Whoever comes past an early exit is most rounds.
    is_inside = not isinstance(condition.statement, ast.If) or _has(_arm(condition), place.statement)
    return is_inside and is_an_exception(ev, at, holds)


def _arm(condition: Condition) -> list[ast.stmt]:
    assert isinstance(condition.statement, ast.If)
    return condition.statement.body if condition.holds else condition.statement.orelse


def _other_arm(condition: Condition) -> list[ast.stmt]:
    assert isinstance(condition.statement, ast.If)
    return condition.statement.orelse if condition.holds else condition.statement.body


def _has(arm: list[ast.stmt], inner: ast.stmt) -> bool:
    return bool(arm) and arm[0].lineno <= inner.lineno <= (arm[-1].end_lineno or 0)


def _makes_the_step(ev: Evaluator, place: Place, condition: Condition) -> bool:
    """Tell whether what a test lets through makes the training step: gradients that are accumulated.

    So does what comes below `if step > most: break`. Where every round makes such a step besides, what is let through
    is one more, now and then.
    """
    if place.statement is condition.statement:
        return False
    steps = [(name, statement) for name in _STEPS for statement in _steps(place, name)]
    inside = {name for name, statement in steps if _lets_through(ev, place.file, condition, statement)}
    beside = (name for name, statement in steps if _is_beside(ev, place, condition.statement, statement))
    return bool(inside) and not inside <= set(beside)


def _lets_through(ev: Evaluator, file: ParsedFile, condition: Condition, statement: ast.stmt) -> bool:
    """Tell whether a statement stands in the arm of a test, or below an early exit that it has come past."""
    if _has(_arm(condition), statement):
        return True
    is_below = statement.lineno > (condition.statement.end_lineno or 0)
    return is_below and (condition.statement, condition.test) in _tests_before(ev, file, statement)


@tabled(_NO_TESTS)
def _tests_before(_: Evaluator, file: ParsedFile, statement: ast.stmt) -> frozenset[tuple[ast.stmt, ast.expr]]:
    """Return the tests that a statement has behind it, with the statements they stand in."""
    behind = conditions(file.index, statement)
    return frozenset((one.statement, one.test) for one in behind if isinstance(one, Condition))


def _steps_either_way(place: Place, condition: Condition) -> bool:
    """Tell whether both arms of a branch make the training step."""
    steps = [statement for name in _STEPS for statement in _steps(place, name)]
    return all(any(_has(arm, step) for step in steps) for arm in (_arm(condition), _other_arm(condition)))


def _steps(place: Place, name: str) -> Iterator[ast.stmt]:
    return (statement for call, statement in place.file.index.calls(name) if _is_step(call))


def _is_beside(ev: Evaluator, place: Place, branch: ast.stmt, step: ast.stmt) -> bool:
    """Tell whether a step is made in every round of the loop around a branch, whichever way that goes."""
    index = place.file.index
    if _has([branch], step) or _round(index, step) != (round_ := _round(index, branch)):
        return False
    return not _is_made_now_and_then(ev, place.file, step, round_[1])


@tabled(False)
def _is_made_now_and_then(ev: Evaluator, file: ParsedFile, step: ast.stmt, loop: ast.stmt | None) -> bool:
    """Tell whether a step has a throttle behind it within its loop."""
    return any(
        isinstance(one, Condition)
        and one.statement is not loop
        and happens_now_and_then(ev, Place(file, one.test, one.statement), one.holds)
        for one in conditions(file.index, step, loop)
    )


def _round(index: Index, statement: ast.stmt) -> tuple[Scope, ast.stmt | None]:
    """Return the function and the innermost loop that a statement stands in."""
    return index.home[statement][0].scope, next(loops_of(index, statement), None)


def _refuses(place: Place, condition: Condition) -> bool:
    """Tell whether a test further up only refuses what it cannot do: `if n != 1: raise`."""
    assert isinstance(condition.statement, ast.If)
    leaving = _other_arm(condition)
    is_above = (condition.statement.end_lineno or 0) < place.statement.lineno
    return is_above and bool(leaving) and isinstance(leaving[-1], ast.Raise)


def _is_step(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and not re.search("sched|lr", written(call.func.value).lower())
