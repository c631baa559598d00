"""Gradients that are clipped after the step that should use them, and zeroed next.

https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html changes them in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from torchlint.model.calls import Call, calls_of, method_calls_of
from torchlint.model.guards.contradictions import are_in_different_arms
from torchlint.model.training.stepping import updates
from torchlint.pytorch.backward import BACKWARD
from torchlint.pytorch.clipping import CLIPPING

from .differentiating import may_differentiate
from .iteration_order import home_of, innermost_loop, optimizer_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_Kind: TypeAlias = Literal["zero", "back", "step"]
_KINDS: dict[str, _Kind] = {"zero_grad": "zero", **dict.fromkeys(BACKWARD, "back"), "step": "step"}


@dataclass(frozen=True, slots=True)
class LateClip:
    """A call that clips gradients, the step before it, and what zeroes them next."""

    place: Call
    step: Call
    zeroing: Call


def late_clips(ev: Evaluator, file: ParsedFile) -> Iterator[LateClip]:
    """Yield the calls of a file that clip gradients between the step that should use them and what zeroes them."""
    for clip in calls_of(file, CLIPPING):
        is_repeated = clip.scope.kind == "function" or innermost_loop(clip) is not None
        if (clip.is_statement or clip.bound_to == ("_",)) and is_repeated and (found := _late(ev, clip)) is not None:
            yield found


def _late(ev: Evaluator, clip: Call) -> LateClip | None:
    events = list(_events(clip))
    before = [one for one in events if one.line < clip.line and not are_in_different_arms(one, clip)]
    # After the end of an iteration, the next begins.
    behind = [one for one in events if one.line > clip.line]
    following = [*behind, *(one for one in events if one.line < clip.line)]
    if not before or not following or _kind(before[-1]) != "step" or _kind(following[0]) != "zero":
        return None
    step, zeroing = before[-1], following[0]
    next_step = next((i for i, one in enumerate(following) if _kind(one) == "step"), 0)
    next_backward = next((i for i, one in enumerate(following) if _kind(one) == "back"), 0)
    if not 0 < next_backward < next_step or not _always_runs(zeroing, clip) or not _is_of(step, zeroing, clip):
        return None
    if any(one.line == clip.line for one in events) or _computes(ev, clip, zeroing, is_next=not behind):
        return None
    is_update = any(one.expression is step.expression for one in updates(ev, clip.file))
    return LateClip(clip, step, zeroing) if is_update else None


def _events(clip: Call) -> Iterator[Call]:
    """Yield the calls that change gradients in the iteration or function around a call, in source order."""
    loop = innermost_loop(clip)
    for call in method_calls_of(clip.file, frozenset(_KINDS)):
        is_inside = loop is None or clip.file.index.is_in_body(call.statement, loop)
        is_scheduler = call.owner is not None and "sched" in call.owner.code.lower()
        if call.scope is clip.scope and is_inside and call.owner is not None and not is_scheduler:
            yield call


def _kind(call: Call) -> _Kind:
    return _KINDS[call.method]


def _always_runs(zeroing: Call, clip: Call) -> bool:
    """Tell whether every iteration that clips reaches what zeroes."""
    around = [block for block, _ in clip.file.index.blocks_around(clip.statement)]
    return innermost_loop(zeroing) is innermost_loop(clip) and home_of(zeroing)[0] in around


def _is_of(step: Call, zeroing: Call, clip: Call) -> bool:
    """Tell whether what is zeroed is the optimizer that has stepped, or the module whose gradients are clipped."""
    optimizer, owner, given = optimizer_of(step), zeroing.owner, clip.argument("parameters", 0)
    if optimizer is None or owner is None or given is None:
        return False
    return owner.code == optimizer.code or given.code == f"{owner.code}.parameters()"


def _computes(ev: Evaluator, clip: Call, zeroing: Call, *, is_next: bool) -> bool:
    """Tell whether anything may use or compute gradients between a call and what zeroes them, also later."""
    file, scope, loop = clip.file, clip.scope, innermost_loop(clip)
    if not is_next:
        return may_differentiate(ev, file, scope, clip.line, zeroing.line)
    body = loop if loop is not None else scope.node
    first, last = getattr(body, "lineno", 1), getattr(body, "end_lineno", 0) + 1
    is_computed = may_differentiate(ev, file, scope, clip.line, last)
    return is_computed or may_differentiate(ev, file, scope, first, zeroing.line)
