"""Iterations with one half of a gradient scaler: steps without a scaled loss, and scaled gradients that it never steps.

Before the first `scale()`, a scaler has no scale, and raises on all else. And an optimizer that steps by itself uses
gradients that are some ten thousand times too large.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, method_calls_of
from torchlint.model.roles import are_all
from torchlint.pytorch.roles import Role
from torchlint.pytorch.scalers import LEAVING_SCALED

from .iteration_order import runs_before
from .scaler_calls import Scaling

if TYPE_CHECKING:
    from torchlint.model.place import Place

_BACKWARD, _STEP = frozenset({"backward"}), frozenset({"step"})
# Code with one of these unscales the gradients manually, or tests whether they are scaled.
_BY_HAND = re.compile(r"unscale|get_scale|inv_scale|_scale\b|\.grad\b|is_enabled", re.IGNORECASE)


def never_scaled(scaling: Scaling) -> tuple[Call, Call] | None:
    """Return the first call that needs a scale if nothing is ever scaled, and the `backward()` before it."""
    first = next(scaling.made("unscale_", "step"), None)
    if first is None or next(scaling.made("scale"), None) is not None:
        return None
    backward = next((one for one in _backwards(scaling) if runs_before(one, first)), None)
    if backward is None or scaling.may_call("scale", is_here=False):
        return None
    return first, backward


def stepped_directly(scaling: Scaling) -> tuple[Call, Call] | None:
    """Return a step of an optimizer with gradients of a scaled loss, and the call that scales that."""
    attributes, is_passed_on = scaling.reads
    if is_passed_on or not attributes <= LEAVING_SCALED or _BY_HAND.search(scaling.file.code_of(scaling.scope.node)):
        return None
    backwards, scaled = list(_backwards(scaling)), {one.expression for one in scaling.made("scale")}
    if not backwards or not all(_is_scaled(scaling, one, scaled) for one in backwards):
        return None
    for step in _plain_steps(scaling):
        scale = next((one for one in scaling.made("scale") if runs_before(one, step)), None)
        is_after = any(runs_before(one, step) for one in backwards)
        if scale is not None and is_after and not scaling.is_made_between(scale, step):
            return step, scale
    return None


def _backwards(scaling: Scaling) -> Iterator[Call]:
    return (one for one in method_calls_of(scaling.file, _BACKWARD) if one.scope is scaling.scope)


def _is_scaled(scaling: Scaling, backward: Call, scaled: Container[ast.expr | None]) -> bool:
    """Tell whether a `backward()` starts from what the scaler returns, directly or by a name."""
    if backward.owner is None:
        return False
    bindings = scaling.scope.bindings.get(backward.owner.code, ())
    return backward.owner.expression in scaled or (bool(bindings) and all(one.value in scaled for one in bindings))


def _plain_steps(scaling: Scaling) -> Iterator[Call]:
    """Yield the steps of what surely are optimizers."""
    for step in method_calls_of(scaling.file, _STEP):
        is_plain = not step.arguments and not step.keywords and not step.is_open
        if step.scope is scaling.scope and is_plain and step.owner is not None and _is_optimizer(scaling, step.owner):
            yield step


def _is_optimizer(scaling: Scaling, owner: Place) -> bool:
    return are_all(scaling.ev, scaling.ev.evaluate(owner), Role.OPTIMIZER)
