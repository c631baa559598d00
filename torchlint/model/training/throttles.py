"""Whether something in a loop's body runs in every iteration, or only every N steps.

Throttles are tests of a counter (`step % 100 == 0`, `i == len(loader) - 1`), flags that hold such a test, flags that
are cleared at the first use, clocks, log levels, modes of debugging and testing, and helpers that return one of these;
`step % 100 == 0 or done` is one still, and so is `if self.mask is None:` before the code that makes the mask and stores
it. A condition on a tensor's data (`if torch.isnan(loss)`) is an exception, and so is a branch that reports an error.
An `except` block, a block that leaves the loop and the message of an `assert` run once or not at all, and what a
constant rules out never runs; `if not self.training:` is for evaluations. A test of the rank is no throttle: that rank
waits at every step.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

from torchlint.model.guards.along_paths import AlongPaths, PathContext
from torchlint.model.guards.constants import decided_by_constants
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.guards.path_conditions import facts_at
from torchlint.model.place import Place
from torchlint.model.tensors.data_tests import is_an_exception
from torchlint.model.training.caching import is_made_once
from torchlint.model.training.failures import tells_of_failure
from torchlint.model.training.inner_iterations import comes_with_each_run
from torchlint.model.training.last_iterations import leaves_further_down
from torchlint.model.training.peers import asks_for_peer
from torchlint.model.training.throttle_tests import is_periodic
from torchlint.model.values.tabled import tabled
from torchlint.pytorch.backward import TRAINING_STEP
from torchlint.syntax.dominating_conditions import Condition, Iteration, conditions
from torchlint.syntax.elif_chains import blocks_around_chains
from torchlint.syntax.exits import leaves_block, loops_of
from torchlint.syntax.facts import NOTHING_GIVEN, Facts, is_of_parts
from torchlint.syntax.index import Index
from torchlint.syntax.scope import Block, Scope
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


_NO_CALLS: tuple[Place, ...] = ()
_NO_FACTS = Facts({})
_NO_TESTS: frozenset[tuple[ast.stmt, ast.expr]] = frozenset()


def is_thinned(ev: Evaluator, place: Place, until: ast.stmt | None = None) -> bool:
    """Tell whether a place runs less often than the body of the loop `until` around it, or than its function."""
    if isinstance(place.statement, ast.Assert) and _is_in(place.expression, place.statement.msg):
        return True
    if _is_beside_training(ev, place, until):
        return True
    for block, _ in _blocks(place, until):
        if isinstance(block.owner, ast.ExceptHandler) or _leaves_for_good(place, block, until):
            return True
    return _is_under_throttle(ev, place, until)


def _is_under_throttle(ev: Evaluator, place: Place, until: ast.stmt | None) -> bool:
    by_call = Place(place.file, place.expression, place.statement, place.frame)
    if _whole(ev, by_call, until):
        return True
    parted, context = _parted(ev, by_call, until), PathContext(place.file, place.frame, NOTHING_GIVEN, until)
    facts = facts_at(place) if parted else _NO_FACTS
    return any(_thins(ev, context, one, facts) for one in parted)


def _is_beside_training(ev: Evaluator, place: Place, until: ast.stmt | None) -> bool:
    """Tell whether no iteration that reaches a place computes gradients: `if phase == "train": … else: …`."""
    steps = _backwards(ev, place.file, place.scope, until)
    return bool(steps) and all(exclude_each_other(place, step) for step in steps)


@tabled(_NO_CALLS)
def _backwards(_: Evaluator, file: ParsedFile, scope: Scope, until: ast.stmt | None) -> tuple[Place, ...]:
    """Return the calls of `backward` in a function, or in a loop of it."""
    calls = (Place(file, *one) for one in file.index.calls("backward") if until is None or _has([until], one[1]))
    return tuple(call for call in calls if call.scope is scope)


def _is_in(node: ast.expr, whole: ast.expr | None) -> bool:
    return whole is not None and any(inner is node for inner in walk(whole))


def _blocks(place: Place, until: ast.stmt | None) -> Iterator[tuple[Block, int]]:
    """Yield the blocks between a place and the body of a loop or function, without that body."""
    for block, position in blocks_around_chains(place.file.index, place.statement):
        if block.owner is until or block.owner is block.scope.node or block.owner is None:
            return
        yield block, position


def _leaves_for_good(place: Place, block: Block, until: ast.stmt | None) -> bool:
    """Tell whether an arm ends by leaving the loop, or the program, or reaches that below: it runs once at most."""
    if until is not None and leaves_further_down(place.file.index, block, until):
        return True
    if not isinstance(block.owner, ast.If) or not leaves_block(block.body, place.file.index):
        return False
    leaving = (ast.Raise, ast.Break, ast.Return) if until is not None else (ast.Raise,)
    last = block.body[-1]
    return isinstance(last, leaving) or (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call))


def _thinning(ev: Evaluator, context: PathContext, guard: Condition | Iteration) -> tuple[bool, ...]:
    """Tell whether a condition, decided as a whole, makes what it dominates less frequent."""
    thins = (
        _may_thin(guard, context, ev)
        and not is_of_parts(guard.test, guard.holds)
        and _thins(ev, context, guard, _NO_FACTS)
    )
    return (True,) if thins else ()


def _of_parts(ev: Evaluator, context: PathContext, guard: Condition | Iteration) -> tuple[Condition, ...]:
    """Return a condition if it depends on the place by which of its parts it was decided."""
    return (guard,) if _may_thin(guard, context, ev) and is_of_parts(guard.test, guard.holds) else ()


_whole = AlongPaths(_thinning, most=1)
_parted = AlongPaths(_of_parts)


def _may_thin(guard: Condition | Iteration, context: PathContext, ev: Evaluator) -> TypeGuard[Condition]:
    if not isinstance(guard, Condition) or guard.statement is context.loop or isinstance(guard.statement, ast.Assert):
        return False
    at = Place(context.file, guard.test, guard.statement, context.frame)
    return not isinstance(guard.statement, ast.While) or asks_for_peer(ev, at, guard.holds)


def _thins(ev: Evaluator, context: PathContext, condition: Condition, facts: Facts) -> bool:
    test, holds = facts.deciding(condition.test, condition.holds)
    return _lets_few_by(
        ev, Place(context.file, test, condition.statement, context.frame), holds, condition, context.loop
    )


@tabled(False)
def _lets_few_by(ev: Evaluator, at: Place, holds: bool, condition: Condition, until: ast.stmt | None) -> bool:
    """Tell whether a test makes its branch less frequent, if that part of it decides at a place."""
    if decided_by_constants(ev, at) is (not holds):
        return True
    if isinstance(condition.statement, ast.If):
        if condition.lets != "on" and _makes_the_step(ev, at.file, condition):
            # `if torch.isnan(loss): scaler.step(…)`, `else: scaler.step(…)`: the step does not depend on the test.
            return _steps_either_way(at.file, condition) and is_an_exception(ev, at, holds)
        if condition.lets == "past" and _refuses(condition):
            return False
    if is_made_once(at.file.index, condition, at.expression, holds):
        return True
    if is_periodic(ev, at, holds) and not comes_with_each_run(ev, at, holds, until):
        return True
    # Most iterations pass an early exit.
    is_inside = condition.lets == "in" or not isinstance(condition.statement, ast.If)
    return is_inside and (is_an_exception(ev, at, holds) or _tells_of_failure(condition))


def _tells_of_failure(condition: Condition) -> bool:
    return isinstance(condition.statement, ast.If) and any(map(tells_of_failure, _arm(condition)))


def _arm(condition: Condition) -> list[ast.stmt]:
    assert isinstance(condition.statement, ast.If)
    return condition.statement.body if condition.holds else condition.statement.orelse


def _other_arm(condition: Condition) -> list[ast.stmt]:
    assert isinstance(condition.statement, ast.If)
    return condition.statement.orelse if condition.holds else condition.statement.body


def _has(arm: list[ast.stmt], inner: ast.stmt) -> bool:
    return bool(arm) and arm[0].lineno <= inner.lineno <= (arm[-1].end_lineno or 0)


def _makes_the_step(ev: Evaluator, file: ParsedFile, condition: Condition) -> bool:
    """Tell whether the branch of a test makes the training step: gradients that are accumulated.

    So does what is below `if step > most: break`. If every iteration makes such a step besides, the one of the branch
    is another, every N steps.
    """
    steps = [(name, statement) for name in TRAINING_STEP for statement in _steps(file, name)]
    inside = {name for name, statement in steps if _lets_through(ev, file, condition, statement)}
    beside = (name for name, statement in steps if _is_beside(ev, file, condition.statement, statement))
    return bool(inside) and not inside <= set(beside)


def _lets_through(ev: Evaluator, file: ParsedFile, condition: Condition, statement: ast.stmt) -> bool:
    """Tell whether a statement is in the arm of a test, or below an early exit that dominates it."""
    if _has(_arm(condition), statement):
        return True
    is_below = statement.lineno > (condition.statement.end_lineno or 0)
    return is_below and (condition.statement, condition.test) in _tests_before(ev, file, statement)


@tabled(_NO_TESTS)
def _tests_before(_: Evaluator, file: ParsedFile, statement: ast.stmt) -> frozenset[tuple[ast.stmt, ast.expr]]:
    """Return the conditions that dominate a statement, with the statements that they are in."""
    guard = conditions(file.index, statement)
    return frozenset((one.statement, one.test) for one in guard if isinstance(one, Condition))


def _steps_either_way(file: ParsedFile, condition: Condition) -> bool:
    """Tell whether both arms of a branch make the training step."""
    steps = [statement for name in TRAINING_STEP for statement in _steps(file, name)]
    return all(any(_has(arm, step) for step in steps) for arm in (_arm(condition), _other_arm(condition)))


def _steps(file: ParsedFile, name: str) -> Iterator[ast.stmt]:
    return (statement for call, statement in file.index.calls(name) if _is_step(call))


def _is_beside(ev: Evaluator, file: ParsedFile, branch: ast.stmt, step: ast.stmt) -> bool:
    """Tell whether a step is made in every iteration of the loop around a branch, whichever arm runs."""
    if _has([branch], step) or _function_and_loop(file.index, step) != (
        around := _function_and_loop(file.index, branch)
    ):
        return False
    return not _is_made_periodically(ev, file, step, around[1])


@tabled(False)
def _is_made_periodically(ev: Evaluator, file: ParsedFile, step: ast.stmt, loop: ast.stmt | None) -> bool:
    """Tell whether a throttle dominates a step within its loop."""
    return any(
        isinstance(one, Condition)
        and one.statement is not loop
        and is_periodic(ev, Place(file, one.test, one.statement), one.holds)
        for one in conditions(file.index, step, loop)
    )


def _function_and_loop(index: Index, statement: ast.stmt) -> tuple[Scope, ast.stmt | None]:
    """Return the function and the innermost loop that a statement is in."""
    return index.home[statement][0].scope, next(loops_of(index, statement), None)


def _refuses(condition: Condition) -> bool:
    """Tell whether a test only raises for unsupported values: `if n != 1: raise`."""
    leaving = _other_arm(condition)
    return bool(leaving) and isinstance(leaving[-1], ast.Raise)


def _is_step(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and not re.search("sched|lr", written(call.func.value).lower())
