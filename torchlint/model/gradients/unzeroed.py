"""Training loops in which gradients pile up: each round adds its own, and nobody lets go of those of the rounds before.

`backward()` adds to what is in `.grad`, and `step()` leaves it there.
https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.gradients.zeroing import may_zero, speaks_of_gradients
from torchlint.model.linking.classes import family
from torchlint.model.syntax.exits import LoopNode, first_leaving, loops_of, runs_once
from torchlint.model.training.stepping import backwards, updates
from torchlint.model.training.trained_module import are_apart
from torchlint.model.values.possible import Built, Class, Function, Instance, Possibility

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.values.evaluator import Evaluator

_STEP, _BACKWARD, _ZERO = frozenset({"step"}), frozenset({"backward"}), frozenset({"zero_grad"})
_ZEROING = re.compile(r"zero_grad|\.zero_\(|grad *= *None")
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Unzeroed:
    """A step with gradients of all rounds of a loop so far, the call that adds to them, and the loop."""

    step: Call
    optimizer: Place
    backward: Call
    loop: Place


def unzeroed_steps(ev: Evaluator, file: SourceFile) -> Iterator[Unzeroed]:
    """Yield the steps of a file whose gradients pile up, the first of each loop."""
    seen: set[object] = set()
    for step in method_calls_of(file, _STEP):
        for backward in method_calls_of(file, _BACKWARD):
            if backward.scope is step.scope and (loops := _loops_of_both(step, backward)) is not None:
                inner = loops[0] if loops else step.scope
                if inner not in seen and (found := _unzeroed(ev, step, backward, loops)) is not None:
                    seen.add(inner)
                    yield found


def _loops_of_both(step: Call, backward: Call) -> list[LoopNode] | None:
    index = step.file.index
    return [one for one in loops_of(index, step.statement) if index.is_in_body(backward.statement, one)]


def _unzeroed(ev: Evaluator, step: Call, backward: Call, loops: list[LoopNode]) -> Unzeroed | None:
    file = step.file
    body = loops[0] if loops else step.scope.node
    if isinstance(body, ast.Module) or step.keywords or "inputs" in backward.keywords:
        return None
    optimizer = step.arguments[0] if step.arguments else step.owner
    apart = frozenset(_zeroed_apart(ev, step, optimizer)) if optimizer is not None else frozenset[ast.expr]()
    if speaks_of_gradients(file, body, apart):
        return None
    if not _is_update(ev, step) or not _is_plain_backward(ev, backward):
        return None
    if optimizer is None or not _is_plain_optimizer(ev, optimizer):
        return None
    leave = apart | {step.expression, backward.expression}
    if may_zero(ev, file, body, leave):
        return None
    if loops:
        loop = file.header(loops[0]) if _repeats(ev, file, loops[0], optimizer) else None
    else:
        loop = _loop_of_callers(ev, step, optimizer)
    return Unzeroed(step, optimizer, backward, loop) if loop is not None else None


def _zeroed_apart(ev: Evaluator, step: Call, optimizer: Place) -> Iterator[ast.expr]:
    """Yield the calls by which the function zeroes optimizers of modules that have nothing to do with this one's."""
    for call in method_calls_of(step.file, _ZERO):
        if call.scope is step.scope and call.owner is not None and are_apart(ev, call.owner, optimizer):
            yield call.expression


def _is_update(ev: Evaluator, step: Call) -> bool:
    return any(one.expression is step.expression for one in updates(ev, step.file))


def _is_plain_backward(ev: Evaluator, backward: Call) -> bool:
    return any(one.expression is backward.expression for one in backwards(ev, backward.file))


def _is_plain_optimizer(ev: Evaluator, optimizer: Place) -> bool:
    """Tell whether something is an optimizer for sure, of PyTorch or of a class whose own `step()` zeroes nothing."""
    possible = ev.evaluate(optimizer)
    return bool(possible) and all(_is_plain(ev, one) for one in possible)


def _is_plain(ev: Evaluator, one: Possibility) -> bool:
    match one.value:
        case Built(name=name):
            return name.startswith("torch.optim.") and ".lr_scheduler" not in name
        case Instance(kind=kind):
            kinds = list(family(ev, kind))
            is_optimizer = any(isinstance(kind, str) and kind.startswith("torch.optim.") for kind in kinds)
            return is_optimizer and not any(isinstance(kind, Class) and _zeroes_itself(kind) for kind in kinds)
        case _:
            return False


def _zeroes_itself(kind: Class) -> bool:
    return _ZEROING.search(kind.file.code_of(kind.scope.node)) is not None


def _repeats(ev: Evaluator, file: SourceFile, loop: LoopNode, optimizer: Place) -> bool:
    """Tell whether a loop goes round more than once with the same optimizer."""
    if first_leaving(loop.body, file.index) is not None or runs_once(loop):
        return False
    origins = [one.origin for one in ev.evaluate(optimizer)]
    return not any(one is None or _is_inside(loop, file, one) for one in origins)


def _is_inside(loop: LoopNode, file: SourceFile, place: Place) -> bool:
    return place.file is file and file.index.is_in_body(place.statement, loop)


def _loop_of_callers(ev: Evaluator, place: Place, optimizer: Place, depth: int = 0) -> Place | None:
    """Return the loop that calls a function again and again, where no caller on the way zeroes anything."""
    if place.scope.kind != "function" or depth > _DEEPEST:
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
            found.append(at.file.header(loop))
        elif (further := _loop_of_callers(ev, at, optimizer, depth + 1)) is not None:
            found.append(further)
    return found[0] if found else None
