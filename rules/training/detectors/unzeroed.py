"""Training loops in which gradients accumulate: each iteration adds its own, and nothing clears earlier ones.

`backward()` adds to what is in `.grad`, and `step()` leaves it there.
https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.headers import header
from torchlint.model.roles import is_a
from torchlint.model.training.made_calls import calls_in
from torchlint.model.training.stepping import updating
from torchlint.model.values.parameter_contracts import parameter_of_attribute
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Instance, Possibility
from torchlint.pytorch.roles import Role
from torchlint.syntax.exits import LoopNode, first_leaving, loops_of, runs_once

from .backwards_beside import Beside, backward_elsewhere, backwards_beside, calls_within, is_plain_backward
from .called_within import within
from .trained_module import are_passed_apart, given_modules, origins_of
from .zeroed_apart import is_in_other_arm, is_zeroed_apart
from .zeroing import may_zero, speaks_of_gradients

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_STEP, _ZERO = frozenset({"step"}), frozenset({"zero_grad"})
_ZEROING = re.compile(r"zero_grad|\.zero_\(|grad *= *None")


@dataclass(frozen=True, slots=True)
class Unzeroed:
    """A step with gradients of all iterations of a loop so far, the call that adds to them, and the loop."""

    step: Call
    optimizer: Place
    backward: Call
    loop: Place
    is_made_in_view: bool
    """Whether the call that makes the optimizer is known, and its module is no part of another; else that is likely."""


def unzeroed_steps(ev: Evaluator, file: ParsedFile) -> Iterator[Unzeroed]:
    """Yield the steps of a file whose gradients accumulate, the first of each loop."""
    seen: set[object] = set()
    for step in method_calls_of(file, _STEP):
        for beside, loops in _nearest_first(ev, step):
            inner = loops[0] if loops else step.scope
            if inner in seen:
                break
            if (found := _unzeroed(ev, step, beside.backward, loops)) is not None:
                seen.add(inner)
                yield found
                break


def _nearest_first(ev: Evaluator, step: Call) -> list[tuple[Beside, list[LoopNode]]]:
    """Return the calls of `backward()` that a step goes with, each with the loops around both.

    One in a loop beside that of the step is most likely of another optimizer, if there is one in the step's own.
    """
    index = step.file.index
    around = list(loops_of(index, step.statement))
    found = [
        (one, [loop for loop in around if index.is_in_body(one.way.statement, loop)])
        for one in _beside(ev, step, around)
    ]
    return sorted(found, key=lambda pair: -len(pair[1]))


def _beside(ev: Evaluator, step: Call, around: list[LoopNode]) -> list[Beside]:
    """Return the calls of `backward()` that a step goes with, those of other functions only if its own has none."""
    if found := list(backwards_beside(step, around)):
        return found
    if not _is_update(ev, step) or (optimizer := _stepped(step)) is None or not _is_plain_optimizer(ev, optimizer):
        return []
    elsewhere = backward_elsewhere(ev, step)
    return [elsewhere] if elsewhere is not None else []


def _stepped(step: Call) -> Place | None:
    return step.arguments[0] if step.arguments else step.owner


def _unzeroed(ev: Evaluator, step: Call, backward: Call, loops: list[LoopNode]) -> Unzeroed | None:
    file = step.file
    body = loops[0] if loops else step.scope.node
    if isinstance(body, ast.Module) or step.keywords or "inputs" in backward.keywords:
        return None
    optimizer = _stepped(step)
    # What zeroes the optimizer's own gradients right there is found fast.
    if not all(is_zeroed_apart(ev, step, optimizer, one) for one in calls_within(file, "zero_grad", body)):
        return None
    zeroing = list(method_calls_of(file, _ZERO))
    apart = frozenset(one.expression for one in zeroing if is_zeroed_apart(ev, step, optimizer, one))
    if speaks_of_gradients(file, body, apart):
        return None
    if not _is_update(ev, step) or not is_plain_backward(ev, backward):
        return None
    if optimizer is None or not _is_plain_optimizer(ev, optimizer):
        return None
    leave = apart | {step.expression, backward.expression}
    if may_zero(ev, file, body, leave):
        return None
    if loops:
        loop = header(file, loops[0]) if _repeats(ev, file, loops[0], optimizer) else None
    else:
        loop = _loop_of_callers(ev, step, optimizer)
    if loop is None:
        return None
    is_made = all(one.origin is not None for one in ev.evaluate(optimizer))
    others = [one.owner for one in zeroing if one.expression in apart and not is_in_other_arm(step, one)]
    if any(one is not None and are_passed_apart(ev, one, optimizer) for one in others):
        is_made = False
    return Unzeroed(step, optimizer, backward, loop, is_made)


def _is_update(ev: Evaluator, step: Call) -> bool:
    return step.expression in updating(ev, step.file)


def _is_plain_optimizer(ev: Evaluator, optimizer: Place) -> bool:
    """Tell whether something surely is an optimizer, of PyTorch or of a class whose own `step()` zeroes nothing."""
    possible = ev.evaluate(optimizer)
    return bool(possible) and all(_is_plain(ev, one) for one in possible)


def _is_plain(ev: Evaluator, one: Possibility) -> bool:
    kinds = family(ev, one.value.kind) if isinstance(one.value, Instance) else ()
    zeroes_itself = any(isinstance(kind, Class) and _zeroes_itself(kind) for kind in kinds)
    return is_a(ev, one.value, Role.OPTIMIZER) and not zeroes_itself


def _zeroes_itself(kind: Class) -> bool:
    return _ZEROING.search(kind.file.code_of(kind.scope.node)) is not None


def _repeats(ev: Evaluator, file: ParsedFile, loop: LoopNode, optimizer: Place) -> bool:
    """Tell whether a loop has more than one iteration with the same optimizer, and the same module."""
    if first_leaving(loop.body, file.index) is not None or runs_once(loop):
        return False
    if parameter_of_attribute(optimizer) is not None and not _is_bound_in(loop, file, optimizer):
        # The caller has made it before.
        return True
    origins = [one.origin for one in ev.evaluate(optimizer)]
    # What a module that is made again has accumulated is lost with it: `for train in (first, second): train(Net())`.
    made = [one for module in given_modules(ev, optimizer) for one in origins_of(ev, module)]
    if any(one is None or _is_inside(loop, file, one) for one in (*origins, *made)):
        return False
    # `self.build()` makes `self.model` again.
    run = within(ev, calls_in(file, loop)).scopes if made else frozenset()
    return not any(one.scope in run for one in made)


def _is_bound_in(loop: LoopNode, file: ParsedFile, optimizer: Place) -> bool:
    bindings = optimizer.scope.bindings.get(optimizer.word, ())
    return any(file.index.is_in_body(one.statement, loop) for one in bindings if one.statement in file.index.home)


def _is_inside(loop: LoopNode, file: ParsedFile, place: Place) -> bool:
    return place.file is file and file.index.is_in_body(place.statement, loop)


_NOWHERE: Place | None = None


@tabled(_NOWHERE)
def _loop_of_callers(ev: Evaluator, place: Place, optimizer: Place) -> Place | None:
    """Return the loop that calls a function repeatedly, if no caller in between zeroes anything."""
    if place.scope.kind != "function":
        return None
    callers = ev.callers(Function(place.file, place.scope))
    found: list[Place] = []
    for caller in callers:
        at = caller.place
        loop = next(loops_of(at.file.index, at.statement), None)
        body = loop or at.scope.node
        if may_zero(ev, at.file, body, frozenset({at.expression})):
            return None
        if loop is not None:
            if not _repeats(ev, at.file, loop, optimizer):
                return None
            found.append(header(at.file, loop))
        elif (further := _loop_of_callers(ev, at, optimizer)) is not None:
            found.append(further)
    return found[0] if found else None
