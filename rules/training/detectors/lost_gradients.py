"""Gradients that are zeroed before the step that should use them.

For a `step()`, the last change of the gradients is `zero_grad()`: since PyTorch 2.0 that leaves None, and the step
skips all parameters. https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.guards.contradictions import are_in_different_arms
from torchlint.model.place import Place
from torchlint.model.training.stepping import updating
from torchlint.model.training.throttle_tests import is_periodic
from torchlint.pytorch.backward import BACKWARD
from torchlint.syntax.dominating_conditions import Condition, conditions
from torchlint.syntax.exits import LoopNode, first_leaving, jumps, loops_of

from .differentiating import may_differentiate
from .iteration_order import ByIteration, are_one, home_of, innermost_loop, optimizer_of
from .made_since import is_made_since

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_ZERO, _STEP = frozenset({"zero_grad"}), frozenset({"step"})


@dataclass(frozen=True, slots=True)
class LostGradients:
    """A step, what zeroes the gradients before it, and what computes them: too late, too early, or every time."""

    how: Literal["zeroed between", "stepped first", "zeroed each round"]
    backward: Call
    zeroing: Call
    step: Call


def lost_gradients(ev: Evaluator, file: ParsedFile) -> Iterator[LostGradients]:
    """Yield the steps of a file whose gradients were zeroed before, each once."""
    zeroings = _by_function(call for call in method_calls_of(file, _ZERO) if call.owner is not None)
    backwards = _by_function(method_calls_of(file, frozenset(BACKWARD))) if zeroings else {}
    for step in method_calls_of(file, _STEP) if backwards else ():
        own, beside = backwards.get(step.scope), zeroings.get(step.scope)
        if own and beside and (found := _Iteration(ev, step, own, beside).lost()) is not None:
            yield found


def _by_function(calls: Iterator[Call]) -> dict[Scope, ByIteration]:
    found: dict[Scope, ByIteration] = defaultdict(lambda: ByIteration(()))
    for call in calls:
        found[call.scope].add(call)
    return found


@dataclass(frozen=True, slots=True)
class _Iteration:
    """A step with the calls beside it in its function that compute gradients and zero them."""

    ev: Evaluator
    step: Call
    backwards: ByIteration
    zeroings: ByIteration

    def lost(self) -> LostGradients | None:
        return self._zeroed_before() or self._zeroed_after() or self._zeroed_each_iteration() or self._zeroed_inside()

    def _zeroed_before(self) -> LostGradients | None:
        """Return the order in which zeroing is the last change of the gradients before the step."""
        step = self.step
        zeroing = next(self.zeroings.before(step), None)
        if zeroing is None or self.backwards.between(zeroing.line, step.line):
            return None
        loop = innermost_loop(step)
        beside = self.backwards.inside(loop)
        above = [one for one in beside if one.line < zeroing.line and not are_in_different_arms(one, zeroing)]
        below = [one for one in beside if one.line > step.line and not are_in_different_arms(one, step)]
        if above and not self._may_be_skipped(above[-1], zeroing) and self._is_lost(zeroing):
            is_new = self._is_made_since(zeroing, above[-1].line)
            return None if is_new else LostGradients("zeroed between", above[-1], zeroing, step)
        if below and not above and not self._other_steps_in(loop) and self._is_lost(zeroing):
            return LostGradients("stepped first", below[0], zeroing, step)
        return None

    def _zeroed_after(self) -> LostGradients | None:
        """Return the order in which an iteration steps first, then computes gradients, and zeroes them at last."""
        step, loop = self.step, innermost_loop(self.step)
        if loop is None or next(jumps(step.file.index, loop, ast.Continue), None) is not None:
            return None
        zeroing = next(reversed(self.zeroings.at(loop)), None)
        own = self.backwards.inside(loop)
        if zeroing is None or not own or not all(step.line < one.line < zeroing.line for one in own):
            return None
        is_lost = not self._other_steps_in(loop) and self._is_of_step(zeroing)
        if not is_lost or self._computes(loop.lineno, step.line) or self._computes(zeroing.line, _end(loop) + 1):
            return None
        return LostGradients("stepped first", own[0], zeroing, step)

    def _zeroed_each_iteration(self) -> LostGradients | None:
        """Return the order in which every iteration zeroes, and only some of them step."""
        step, file = self.step, self.step.file
        for loop in loops_of(file.index, step.statement):
            zeroing = self._in_each_iteration(self.zeroings, loop)
            backward = self._in_each_iteration(self.backwards, loop)
            # Only the tests of a loop that does both itself are evaluated: there may be many around the step.
            if zeroing is None or backward is None or (throttle := self._throttle(loop)) is None:
                continue
            if self._other_steps_in(loop, throttle.statement):
                continue
            is_used = backward.line > step.line or self._computes(throttle.statement.lineno - 1, step.line)
            if not is_used and self._is_of_step(zeroing) and not self._is_made_since(zeroing, loop.lineno):
                return LostGradients("zeroed each round", backward, zeroing, step)
        return None

    def _zeroed_inside(self) -> LostGradients | None:
        """Return the order in which each iteration of a loop before the step zeroes what the previous one computed."""
        step, index = self.step, self.step.file.index
        around = dict(index.blocks_around(step.statement))
        for zeroing in self.zeroings.in_loops_of(innermost_loop(step)):
            loop = innermost_loop(zeroing)
            if loop is None or self._is_in(step, loop) or zeroing.line > step.line:
                continue
            block, position = index.home[loop]
            backward = self._in_each_iteration(self.backwards, loop)
            is_before = around.get(block, -1) > position
            if backward is None or not is_before or not _is_in_each_iteration(zeroing, loop):
                continue
            if not self._only_computes(loop) or self._computes(_end(loop), step.line):
                continue
            if self._is_of_step(zeroing):
                return LostGradients("zeroed each round", backward, zeroing, step)
        return None

    def _only_computes(self, loop: LoopNode) -> bool:
        """Tell whether a loop only computes gradients, in more than one iteration."""
        leave = {one.expression for one in (*self.backwards.calls, *self.zeroings.calls)}
        is_used = self._computes(loop.lineno, _end(loop) + 1, leave)
        has_steps = any(self._is_in(one, loop) for one in method_calls_of(self.step.file, _STEP))
        return not is_used and not has_steps and first_leaving(loop.body, self.step.file.index) is None

    def _throttle(self, loop: LoopNode) -> Condition | None:
        """Return the throttle that lets only some iterations of a loop reach the step."""
        file = self.step.file
        for condition in conditions(file.index, self.step.statement, loop):
            if isinstance(condition, Condition) and condition.statement is not loop:
                test = Place(file, condition.test, condition.statement)
                if self._changes(test, loop) and is_periodic(self.ev, test, condition.holds):
                    return condition
        return None

    def _changes(self, test: Place, loop: LoopNode) -> bool:
        """Tell whether a test reads what a loop binds, or an attribute."""
        index = test.file.index
        for text in test.file.texts_in(test.expression):
            bindings = test.scope.bindings.get(text, ())
            if "." in text or any(one.statement is loop or index.is_in_body(one.statement, loop) for one in bindings):
                return True
        return False

    def _in_each_iteration(self, calls: ByIteration, loop: LoopNode) -> Call | None:
        return next((one for one in calls.at(loop) if _is_in_each_iteration(one, loop)), None)

    def _is_in(self, call: Call, loop: LoopNode) -> bool:
        return call.scope is self.step.scope and call.file.index.is_in_body(call.statement, loop)

    def _may_be_skipped(self, backward: Call, zeroing: Call) -> bool:
        """Tell whether gradients are used before they are zeroed, or dropped on purpose: `if is_bad: …; continue`."""
        steps = list(self._steps())
        if any(backward.line < one.line < zeroing.line for one in steps):
            return True
        return home_of(backward)[0] is not home_of(zeroing)[0] and bool(steps)

    def _other_steps_in(self, loop: LoopNode | None, beside: ast.stmt | None = None) -> bool:
        """Tell whether something else is stepped in a loop, without those in one statement."""
        for one in self._steps_beside():
            is_inside = loop is None or self._is_in(one, loop)
            is_left_out = beside is not None and beside.lineno <= one.line <= (beside.end_lineno or 0)
            if is_inside and not is_left_out:
                return True
        return False

    def _steps_beside(self) -> Iterator[Call]:
        """Yield the other steps of the function that a run may reach as well."""
        return (one for one in self._steps() if not are_in_different_arms(one, self.step))

    def _steps(self) -> Iterator[Call]:
        """Yield the other steps of the function, without those of schedulers."""
        for one in method_calls_of(self.step.file, _STEP):
            is_other = one.scope is self.step.scope and one.expression is not self.step.expression
            if is_other and "sched" not in (one.owner.code.lower() if one.owner is not None else ""):
                yield one

    def _is_lost(self, zeroing: Call) -> bool:
        return self._is_of_step(zeroing) and not self._computes(zeroing.line, self.step.line)

    def _is_made_since(self, zeroing: Call, line: int) -> bool:
        return zeroing.owner is not None and is_made_since(self.ev, zeroing.owner, line)

    def _computes(self, after: int, before: int, leave: set[ast.expr] | None = None) -> bool:
        return may_differentiate(self.ev, self.step.file, self.step.scope, after, before, leave or ())

    def _is_of_step(self, zeroing: Call) -> bool:
        """Tell whether the zeroed gradients are those of the step's optimizer."""
        optimizer, owner = optimizer_of(self.step), zeroing.owner
        if optimizer is None or owner is None or self.step.keywords:
            return False
        if self.step.expression not in updating(self.ev, self.step.file):
            return False
        if owner.code == optimizer.code or are_one(self.ev, owner, optimizer):
            return True
        made = (call_at(one.origin) for one in self.ev.evaluate(optimizer) if one.origin is not None)
        given = [call.argument("params", 0) for call in made if call is not None]
        return bool(given) and all(one is not None and self._are_those_of(one, owner) for one in given)

    def _are_those_of(self, given: Place, module: Place) -> bool:
        """Tell whether the argument of an optimizer is the parameters of a module."""
        if given.code == f"{module.code}.parameters()":
            return True
        asked = call_at(given)
        is_whole = asked is not None and asked.method == "parameters" and not asked.arguments
        return is_whole and asked is not None and asked.owner is not None and are_one(self.ev, asked.owner, module)


def _end(loop: LoopNode) -> int:
    return loop.end_lineno or loop.lineno


def _is_in_each_iteration(call: Call, loop: LoopNode) -> bool:
    block, _ = home_of(call)
    return block.owner is loop and block.arm == "body"
