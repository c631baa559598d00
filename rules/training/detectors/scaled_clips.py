"""Gradients that are clipped while the scale of a gradient scaler is still in them.

`scaler.scale(loss).backward()` multiplies all gradients by a scale of some ten thousand, and `scaler.step(optimizer)`
divides them again, unless `scaler.unscale_(optimizer)` has. A limit in between applies to the scaled ones.
https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-clipping
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.calls import Call, calls_of, method_calls_of
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function, Unknown
from torchlint.pytorch.clipping import CLIPPING

from .scaler_calls import scales

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place


@dataclass(frozen=True, slots=True)
class ScaledClip:
    """A call that clips gradients between the call that scales the loss and the step that unscales them."""

    place: Place
    scaling: Call
    step: Call


def scaled_clips(ev: Evaluator, file: ParsedFile) -> Iterator[ScaledClip]:
    """Yield the calls of a file that clip scaled gradients, as far as one function shows."""
    scaling = [call for call in method_calls_of(file, frozenset({"scale"})) if _is_of_scaler(ev, call)]
    if not scaling:
        return
    steps = [call for call in method_calls_of(file, frozenset({"step"})) if call.arguments]
    for clip in calls_of(file, CLIPPING):
        before = next((one for one in scaling if _comes_before(one, clip)), None)
        after = next((one for one in steps if before and _comes_before(clip, one) and _are_of_one(before, one)), None)
        if before is None or after is None or _is_of_another(clip, after) or _knows_the_scale(clip):
            continue
        if not _is_unscaled(ev, clip):
            yield ScaledClip(clip, before, after)


def _comes_before(one: Place, other: Place) -> bool:
    """Tell whether one place is before another in the same function, and a run may reach both."""
    if one.scope is not other.scope or one.span.line >= other.span.line:
        return False
    return not exclude_each_other(one, other)


def _are_of_one(scaling: Call, step: Call) -> bool:
    return scaling.owner is not None and step.owner is not None and scaling.owner.code == step.owner.code


def _is_of_scaler(ev: Evaluator, call: Call) -> bool:
    """Tell whether `x.scale(loss)` is a call of an enabled gradient scaler; an unknown one is by its name."""
    if call.owner is None:
        return False
    possible = ev.evaluate(call.owner)
    if any(map(scales, possible)):
        return True
    is_unknown = all(isinstance(one.value, Unknown) for one in possible)
    return is_unknown and call.owner.word.lower().endswith("scaler")


def _is_of_another(clip: Call, step: Call) -> bool:
    """Tell whether another optimizer steps next, without the scaler: the clipped gradients are its own."""
    return any(
        one.scope is clip.scope and clip.line < one.line < step.line and not one.arguments
        for one in method_calls_of(clip.file, frozenset({"step"}))
    )


def _knows_the_scale(clip: Call) -> bool:
    """Tell whether the limit is multiplied by the scale."""
    given = [*clip.arguments[1:], *clip.keywords.values()]
    return any("scale" in one.code.lower() for one in given)


def _is_unscaled(ev: Evaluator, clip: Place) -> bool:
    """Tell whether the function unscales gradients anywhere: itself, or in its callees."""
    if not clip.file.project.library.holding("unscale_"):
        return False
    calls = (Call(clip.file, call, statement) for call, statement in clip.file.calls_in_scope(clip.scope))
    return any(_unscales(ev, one) for one in calls)


def _unscales(ev: Evaluator, call: Call) -> bool:
    return call.method == "unscale_" or any(_unscales_inside(ev, function) for function in callees_of(ev, call))


@tabled(False)
def _unscales_inside(ev: Evaluator, function: Function) -> bool:
    inside = function.file.calls_in_scope(function.scope)
    return any(_unscales(ev, Call(function.file, one, statement)) for one, statement in inside)
