"""Tensors that layers with `float32` weights compute, or that are computed of those alone."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.calls import call_at
from torchlint.model.tensors.makers import public_name
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Possibility, Tensor
from torchlint.pytorch.dtypes import CONVERTING, FLOAT_LAYERS
from torchlint.pytorch.symbols import SEQUENTIAL

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


@tabled(False)
def is_of_layers(ev: Evaluator, place: Place) -> bool:
    """Tell whether a tensor surely is the result of such a layer, perhaps changed by a function of one tensor."""
    possible = ev.evaluate(place)
    return bool(possible) and all(
        isinstance(one.value, Tensor) and one.origin is not None and _is_computed_so(ev, one.origin) for one in possible
    )


def _is_computed_so(ev: Evaluator, made: Place) -> bool:
    call = call_at(made)
    if call is None or call.keywords or len(call.arguments) > 2 or call.method in CONVERTING:
        return False
    callees = ev.evaluate(call.callee)
    if callees and all(_is_layer(ev, one) for one in callees):
        return True
    # `torch.sigmoid(scores)`, `activation(scores)`, `scores.sigmoid()`, `scores.squeeze(1)`
    is_method = call.owner is not None and any(isinstance(one.value, Tensor) for one in ev.evaluate(call.owner))
    changed = call.owner if is_method else next(iter(call.arguments), None)
    return changed is not None and all(_is_plain(one) for one in call.arguments[1:]) and is_of_layers(ev, changed)


@tabled(False)
def _is_layer(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something surely is a layer with weights of `float32`, or a sequence with one."""
    made = call_at(one.origin) if one.origin is not None else None
    if not isinstance(one.value, Built) or made is None or "dtype" in made.keywords:
        return False
    if public_name(one.value.name) in FLOAT_LAYERS:
        return True
    return one.value.name == SEQUENTIAL and any(
        _is_layer(ev, part) for item in made.arguments for part in ev.evaluate(item)
    )


def _is_plain(place: Place) -> bool:
    return isinstance(place.expression, (ast.Constant, ast.UnaryOp))
