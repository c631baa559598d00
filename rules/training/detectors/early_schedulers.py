"""Learning rate schedulers that step before the optimizer has.

Until PyTorch 1.1, `scheduler.step()` set the rate of the coming iteration; since then it sets that of the next, and if
it is called first, no step is ever made with the first rate.
https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.place import Place
from torchlint.model.roles import is_a, plays_plainly
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function, Possibility
from torchlint.pytorch.roles import Role
from torchlint.syntax.calledfile import on_lines
from torchlint.syntax.exits import LOOPS
from torchlint.syntax.walk import written

from .every_nth import every_nth
from .iteration_order import are_one, home_of, innermost_loop, optimizer_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Block, Scope

_STEP = frozenset({"step"})
_TRAINING = re.compile(r"(^|_)(pre|re)?(train|fit|learn|warm_?up|optimize)(_|$)", re.IGNORECASE)

_NONE: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlyScheduler:
    """A step of a scheduler, and what steps its optimizer: further down in the same iteration, or not in each."""

    place: Call
    update: Place
    is_more_often: bool = False
    """Whether the optimizer only steps in some iterations of the loop, and the scheduler in all."""
    is_sure: bool = True
    """Whether it is known that there are iterations without a step of the optimizer."""


def early_schedulers(ev: Evaluator, file: ParsedFile) -> Iterator[EarlyScheduler]:
    """Yield the steps of schedulers in a file that surely come before the first one of their optimizers."""
    for call in method_calls_of(file, _STEP):
        if call.arguments or call.keywords or call.is_open or call.owner is None or not call.is_statement:
            continue
        if (optimizers := _scheduled(ev, call.owner)) and (update := _later(ev, call, optimizers)) is not None:
            yield EarlyScheduler(call, update)
        elif optimizers and (found := _in_some_iterations(ev, call, optimizers)) is not None:
            yield EarlyScheduler(call, found[0], is_more_often=True, is_sure=found[1])


def _in_some_iterations(ev: Evaluator, call: Call, optimizers: list[Place]) -> tuple[Place, bool] | None:
    """Return what steps an optimizer only in every n-th iteration of a loop whose scheduler steps in each."""
    block, _ = _home_of(call)
    if not isinstance(block.owner, LOOPS) or block.arm != "body":
        return None
    steps: list[tuple[Call, ast.expr]] = []
    for other in _stepping(ev, call.file, call.scope):
        if other.line > call.line:
            break
        test = every_nth(other) if innermost_loop(other) is block.owner else None
        if test is None and not _is_of_another(ev, other, optimizers):
            return None
        if test is not None and not _is_of_another(ev, other, optimizers):
            steps.append((other, test))
    if not steps or not all(_steps(ev, other, optimizers) for other, _ in steps):
        return None
    return steps[0][0], all(isinstance(test, ast.Constant) and test.value != 1 for _, test in steps)


def _is_of_another(ev: Evaluator, call: Call, optimizers: list[Place]) -> bool:
    """Tell whether a call steps an optimizer that is known, and none of some."""
    stepped = optimizer_of(call) if call.method == "step" else None
    made = ev.evaluate(stepped) if stepped is not None else ()
    is_known = bool(made) and all(one.origin is not None and is_a(ev, one.value, Role.OPTIMIZER) for one in made)
    return is_known and not any(are_one(ev, stepped, one) for one in optimizers if stepped is not None)


def _scheduled(ev: Evaluator, owner: Place) -> list[Place]:
    """Return the optimizers of a scheduler of PyTorch, none for anything else."""
    if "optim" in written(owner.expression).lower():
        return []
    possible = ev.evaluate(owner)
    if not possible or not all(_is_scheduler(ev, one) for one in possible):
        return []
    made = [call_at(one.origin) if one.origin is not None else None for one in possible]
    optimizers = [call.argument("optimizer", 0) for call in made if call is not None]
    return [one for one in optimizers if one is not None] if None not in (*made, *optimizers) else []


def _is_scheduler(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something steps as the schedulers of PyTorch do: it is one, or a subclass in the project."""
    # A scheduler with a metric sets no rate before its first values.
    return plays_plainly(ev, one.value, Role.SCHEDULER, "step")


def _later(ev: Evaluator, call: Call, optimizers: list[Place]) -> Place | None:
    """Return what steps an optimizer below a call in the same iteration, if nothing above it may have."""
    index = call.file.index
    block, position = _home_of(call)
    is_iteration = isinstance(block.owner, LOOPS) and block.arm == "body"
    is_whole = block.owner is block.scope.node and block.scope.kind == "function"
    if not (is_iteration or is_whole or _has_all_steps(ev, call, block)):
        return None
    if any(other.line < call.line for other in _stepping(ev, call.file, call.scope)):
        return None
    for other in _calls_in(call.file, call.scope, call.line):
        if dict(index.blocks_around(other.statement)).get(block, -1) > position and _steps(ev, other, optimizers):
            return other
    return None


def _has_all_steps(ev: Evaluator, call: Call, block: Block) -> bool:
    """Tell whether a function steps in a single arm of an `if`: `if (i + 1) % 4 == 0: scheduler.step(); …`."""
    if not isinstance(block.owner, ast.If) or innermost_loop(call) is None:
        return False
    steps = _stepping(ev, call.file, call.scope)
    return all(block in dict(call.file.index.blocks_around(other.statement)) for other in steps)


def _home_of(call: Call) -> tuple[Block, int]:
    """Return the block with which a call always runs if there is a scheduler, as behind `if scheduler is not None:`."""
    block, position = home_of(call)
    while isinstance(block.owner, ast.If) and block.arm == "body" and _asks_for(block.owner.test, call):
        block, position = home_of(Place(call.file, block.owner.test, block.owner))
    return block, position


def _asks_for(test: ast.expr, call: Call) -> bool:
    """Tell whether a test is for the owner of a call, and nothing else."""
    match test:
        case ast.Compare(left=asked, ops=[ast.IsNot() | ast.NotEq()], comparators=[ast.Constant(value=None)]):
            pass
        case asked:
            pass
    return call.owner is not None and written(asked) == written(call.owner.expression)


@tabled(_NONE)
def _stepping(ev: Evaluator, file: ParsedFile, scope: Scope) -> tuple[Call, ...]:
    """Return the calls of a function that may step an optimizer, in source order."""
    return tuple(call for call in _calls_in(file, scope) if _may_step(ev, call))


def _calls_in(file: ParsedFile, scope: Scope, line: int = 0) -> Iterator[Call]:
    """Yield the calls of a function from a line on."""
    return (Call(file, call, statement) for call, statement in on_lines(file.calls_in_scope(scope), line))


def _may_step(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call may step an optimizer, also in its callees."""
    if call.method == "step":
        return call.owner is None or not any(_is_scheduler(ev, one) for one in ev.evaluate(call.owner))
    functions = list(callees_of(ev, call))
    if not functions:
        is_made = any(_is_scheduler(ev, one) for one in ev.evaluate(call))  # get_linear_schedule_with_warmup
        return _TRAINING.search(call.method) is not None and not is_made and not _sets_mode(call)
    return any(_may_step_inside(ev, one) for one in functions)


@tabled(False)
def _may_step_inside(ev: Evaluator, function: Function) -> bool:
    return any(_may_step(ev, call) for call in _calls_in(function.file, function.scope))


def _steps(ev: Evaluator, call: Call, optimizers: list[Place]) -> bool:
    """Tell whether a call steps one of some optimizers, also in its callees."""
    if call.method == "step":
        stepped = optimizer_of(call)
        return stepped is not None and any(are_one(ev, stepped, one) for one in optimizers)
    return any(_steps_inside(ev, one, tuple(optimizers)) for one in callees_of(ev, call))


@tabled(False)
def _steps_inside(ev: Evaluator, function: Function, optimizers: tuple[Place, ...]) -> bool:
    return any(_steps(ev, call, list(optimizers)) for call in _calls_in(function.file, function.scope))


def _sets_mode(call: Call) -> bool:
    """Tell whether a call is `model.train()` or `model.train(True)`."""
    is_plain = call.owner is not None and call.method == "train"
    return is_plain and all(one.is_constant for one in call.arguments) and not call.keywords
