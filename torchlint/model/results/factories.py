"""Tensors that are made: by the factories of torch, by `nn.Parameter`, `nn.Buffer` and `Variable`."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.devices.current import numbered, on_current
from torchlint.model.devices.default_device import may_be_default
from torchlint.model.devices.literals import is_none
from torchlint.model.place import Place
from torchlint.model.values.operators import joined
from torchlint.model.values.value_sets import (
    HOST,
    UNKNOWN,
    Device,
    Possibility,
    Tensor,
    Unknown,
    Value,
    ValueSet,
    known,
)
from torchlint.pytorch.factories import COPYING, FROM_MEMORY, WHERE_DATA, legacy_device
from torchlint.pytorch.symbols import TENSOR
from torchlint.syntax.arguments import has_open_keywords, passed
from torchlint.syntax.last_names import last_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_LIKE = re.compile(r"^new_|_like$")


def made(ev: Evaluator, place: Place, full: str) -> Tensor:
    """Return what a factory makes, by its full name."""
    return Tensor(_made_on(ev, place, full), _requires_grad(place))


def _made_on(ev: Evaluator, place: Place, full: str) -> Device | None:
    """Return where a factory makes its tensor: on `device=`, on the device of its data, else on the default device."""
    if (legacy := legacy_device(full)) is not None and full != TENSOR:
        return on_current(ev, place, Device(legacy))
    if (device := passed(place.expression, "device")) is not None:
        values = ev.evaluate(place.at(device))
        return HOST if is_none(values) else numbered(ev, place, values)
    if (given_out := passed(place.expression, "out")) is not None:
        return joined(*(one.value for one in ev.evaluate(place.at(given_out)))).device
    call = place.expression
    assert isinstance(call, ast.Call)
    if has_open_keywords(call):
        return None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if len(call.args) > (position := WHERE_DATA.get(name, len(call.args))):
        given = [one.value for one in ev.evaluate(place.at(call.args[position]))]
        if any(isinstance(value, (Tensor, Unknown)) for value in given):
            return joined(*given).device
    # "If None and data is a tensor then the device of data is used": unknown data is a number most likely.
    # https://docs.pytorch.org/docs/stable/generated/torch.tensor.html
    if full == COPYING and call.args:
        copied = [one.value for one in ev.evaluate(place.at(call.args[0]))]
        if copied and all(isinstance(value, Tensor) for value in copied):
            return joined(*copied).device
    return None if full not in FROM_MEMORY and may_be_default(ev, place.file) else HOST


def as_asked(ev: Evaluator, place: Place, found: Value) -> Value:
    """Return what `torch.zeros_like(x, device=device)` and `x.new_zeros(3, device=device)` return, on the given device.

    The result of other calls is what is found: on the device of their arguments.
    """
    assert isinstance(place.expression, ast.Call)
    if not isinstance(found, Tensor) or not _LIKE.search(last_name(place.expression.func)):
        return found
    if (device := passed(place.expression, "device")) is None:
        return replace(found, device=None) if has_open_keywords(place.expression) else found
    values = ev.evaluate(place.at(device))
    return found if is_none(values) else replace(found, device=numbered(ev, place, values))


def as_bound(ev: Evaluator, callee: Possibility, place: Place, found: ValueSet) -> ValueSet:
    """Return what a factory makes whose device was bound before: `partial(torch.arange, device=device)(3)`."""
    bound = callee.origin
    if bound is None or not isinstance(bound.expression, ast.Call) or passed(place.expression, "device") is not None:
        return found
    device = passed(bound.expression, "device")
    if device is None and not has_open_keywords(bound.expression):
        return found
    there = numbered(ev, place, ev.evaluate(bound.at(device))) if device is not None else None
    return tuple(
        one.of_value(replace(one.value, device=there)) if isinstance(one.value, Tensor) else one for one in found
    )


def _requires_grad(place: Place, *, default: bool = False) -> bool | None:
    """Tell whether a factory's `requires_grad` is true."""
    flag = passed(place.expression, "requires_grad")
    return default if flag is None else flag.value is True if isinstance(flag, ast.Constant) else None


def parameter(_: Evaluator, place: Place) -> ValueSet:
    """Return what `nn.Parameter(x)` is: a leaf that requires gradients, on the device of its module."""
    return known(Tensor(None, _requires_grad(place, default=True)), place)


def buffer(_: Evaluator, place: Place) -> ValueSet:
    """Return what `nn.Buffer(x)` is: a tensor that requires no gradients, on the device of its module."""
    return known(Tensor(None, False), place)


def variable(ev: Evaluator, place: Place) -> ValueSet:
    """Return what `Variable(x)` is: the same data on the same device, detached from its graph."""
    data = passed(place.expression, "data", 0)
    assert isinstance(place.expression, ast.Call)
    is_plain = len(place.expression.args) == 1 and not has_open_keywords(place.expression)
    graph = _requires_grad(place) if is_plain else None
    return tuple(_as_variable(one, place, graph) for one in (ev.evaluate(place.at(data)) if data else UNKNOWN))


def _as_variable(one: Possibility, place: Place, graph: bool | None) -> Possibility:
    if not isinstance(one.value, Tensor):
        return one
    # One that requires gradients is a leaf of its own.
    return Possibility(replace(one.value, graph=graph), place if graph else one.origin, one.story)
