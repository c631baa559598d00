"""Where a call that moves a tensor or a module leaves it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.devices.current import numbered, on_current
from torchlint.model.devices.literals import is_data_type, is_none, is_read_off
from torchlint.model.place import Place, Residence
from torchlint.model.values.value_sets import (
    HOST,
    UNKNOWN,
    Array,
    Device,
    Imported,
    Literal,
    Number,
    Possibility,
    Tensor,
    Text,
    ValueSet,
    known,
)
from torchlint.pytorch.factories import legacy_device
from torchlint.pytorch.moves import MOVES, SAME_MODULE
from torchlint.syntax.arguments import has_open_keywords, has_star, passed
from torchlint.syntax.last_names import last_name
from torchlint.syntax.scope import BindingKind
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

AT_RUN_TIME = Device()
"""An unknown device: code that moves something there expects that it may be a GPU."""

_BARE = known(Device("cuda"))
_MODULE_WORDS = re.compile(
    r"(?<![a-z])(\w*(model|net|network|module|encoder|decoder|backbone|criterion|loss_fn|head|teacher|student|ema|"
    r"generator|discriminator|critic|actor|policy|agent|pipe|pipeline|vae|unet|wrapper))s?(?![a-z])"
)
_DEVICE_WORDS = re.compile(r"(?<![a-z])(device|dev|gpu|cuda|rank|local_rank)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Move:
    """A call that moves a module in place, or a binding of its name: the last one determines where it is."""

    statement: ast.stmt
    kind: BindingKind
    call: ast.Call


def moves_of(module: Place, name: str) -> Iterator[Move]:
    """Yield the statements of a function that move a module in place: `model.cuda(1)`, `model.cuda().eval()`."""
    index, scope = module.file.index, module.scope
    for method in sorted(MOVES):
        for call, statement in index.calls(method):
            # Most calls move tensors, in what is bound or passed.
            if not isinstance(statement, ast.Expr) or index.home[statement][0].scope is not scope:
                continue
            if (owner := moved_in_place(call, statement)) is not None and written(owner) == name:
                yield Move(statement, "assign", call)


def moved_in_place(call: ast.Call, statement: ast.stmt) -> ast.expr | None:
    """Return the module that a statement moves by a method call: `model` of `model.cuda().eval()`, None for others."""
    node = statement.value if isinstance(statement, ast.Expr) else None
    last: ast.Call | None = None
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MOVES | SAME_MODULE:
        last = node if last is None and node.func.attr in MOVES else last
        node = node.func.value
    return node if last is call else None


def moved_to(ev: Evaluator, place: Place, name: str, before: Device | None) -> Device | None:
    """Return where `x.to(…)`, `x.cuda(…)`, `x.type(…)` or `x.cpu()` leaves a tensor; None if that is open."""
    call = place.expression
    assert isinstance(call, ast.Call)
    if name == "cpu":
        return HOST
    if name == "type":
        return _retyped_to(ev, place, before)
    argument = device_argument(call, name)
    if name == "cuda":
        return numbered(ev, place, ev.evaluate(place.at(argument)) if argument is not None else _BARE)
    if argument is None:
        return None if _passes_more(call) else before
    values = ev.evaluate(place.at(argument))
    if is_none(values):
        return before
    tensors = [one.value for one in values if isinstance(one.value, Tensor)]
    # What may be a tensor is no type: the other possibility, an array, is no argument of this call.
    if any(is_data_type(one) or (isinstance(one.value, Array) and not tensors) for one in values):
        return before  # `x.to(torch.float16)`
    if tensors and all(isinstance(one.value, (Tensor, Array)) for one in values):
        devices = {tensor.device for tensor in tensors}
        return devices.pop() if len(devices) == 1 else None  # `x.to(other)`
    return numbered(ev, place, values)


def _retyped_to(ev: Evaluator, place: Place, before: Device | None) -> Device | None:
    """Return where `x.type(torch.FloatTensor)` or `x.type(y.type())` leaves a tensor; a plain dtype moves nothing.

    The old types and their names say where their tensors are:
    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.type.html
    """
    kind = passed(place.expression, "dtype", 0)
    values = ev.evaluate(place.at(kind)) if kind is not None else ()
    devices = {_device_of_type(ev, one, before) for one in values}
    return on_current(ev, place, devices.pop()) if len(devices) == 1 else None


def _device_of_type(ev: Evaluator, one: Possibility, before: Device | None) -> Device | None:
    match one.value:
        case Imported(name=name) | Literal(value=str(name)) if (on := legacy_device(name)) is not None:
            return before if before is not None and before.kind == on else Device(on)
        case Text():
            other = typed_like(one.origin) if one.origin is not None else None
            values = [owner.value for owner in ev.evaluate(other)] if other is not None else []
            return values[0].device if len(values) == 1 and isinstance(values[0], Tensor) else None
        case _:
            return before if is_data_type(one) or isinstance(one.value, Number) else None


def typed_like(kind: Place) -> Place | None:
    """Return the tensor whose type an expression is: `x` of `x.type()`."""
    match kind.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr="type"), args=[], keywords=[]):
            return kind.at(owner)
        case _:
            return None


def device_argument(call: ast.Call, method: str) -> ast.expr | None:
    """Return the device argument of `.to(…)` or `.cuda(…)`."""
    for word in call.keywords:
        if word.arg == "device" or (method == "to" and word.arg == "other"):
            return word.value
    return call.args[0] if call.args and not isinstance(call.args[0], ast.Starred) else None


def _passes_more(call: ast.Call) -> bool:
    """Tell whether a call may pass a device that is not written in it: `x.to(**self.kwargs)`."""
    return has_open_keywords(call) or has_star(call.args)


def moved_by(ev: Evaluator, call: Place, method: str, before: Residence | None) -> Residence | None:
    """Return where `.to(…)`, `.cuda(…)` or `.cpu()` leaves a module."""
    assert isinstance(call.expression, ast.Call)
    if method == "cpu":
        return Residence(HOST, call)
    argument = device_argument(call.expression, method)
    if argument is None and _passes_more(call.expression):
        return None
    values = ev.evaluate(call.at(argument)) if argument is not None else ()
    if argument is None or is_none(values):
        # `model.to(device=None)` moves nothing
        return _resides(numbered(ev, call, _BARE), call) if method == "cuda" else before
    if any(is_data_type(one) for one in values):
        return before  # `model.to(torch.float16)`
    if len(values) == 1 and isinstance(values[0].value, Tensor):
        return _resides(values[0].value.device, call)
    if any(is_read_off(one) for one in values):
        return None
    return Residence(numbered(ev, call, values) or AT_RUN_TIME, call)


def retyped_by(ev: Evaluator, call: Place, before: Residence | None) -> Residence | None:
    """Return where `.type(…)` leaves a module: the old types of tensors are on a device, `torch.cuda.FloatTensor`."""
    device = moved_to(ev, call, "type", before.device if before is not None else None)
    return Residence(device, call) if device is not None else before


def _resides(device: Device | None, moved_at: Place) -> Residence | None:
    return Residence(device, moved_at) if device is not None else None


def moved_unknown(ev: Evaluator, place: Place, call: ast.Call, name: str) -> ValueSet:
    """Return the result of moving an unknown value: it is a tensor, unless its name is that of a module."""
    assert isinstance(call.func, ast.Attribute)
    owner = call.func.value
    last = last_name(owner.func if isinstance(owner, ast.Call) else owner)
    if _MODULE_WORDS.search(last.lower()) or (name == "to" and not _names_device(ev, place, call)):
        return UNKNOWN
    return known(Tensor(moved_to(ev, place, name, None)), place)


def _names_device(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    argument = device_argument(call, "to")
    if argument is None:
        return False
    if _DEVICE_WORDS.search(written(argument).lower()):
        return True
    values = [one.value for one in ev.evaluate(place.at(argument))]
    return any(
        isinstance(value, Device) or (isinstance(value, Literal) and isinstance(value.value, str)) for value in values
    )


def agreed(found: Iterable[Residence | None]) -> Residence | None:
    """Return where all paths lead to; if they differ, but never to the host, a device chosen at run time."""
    residences = list(found)
    devices = {one.device if one is not None else None for one in residences}
    if len(devices) == 1:
        return residences[0]
    return None if not devices or None in devices or HOST in devices else Residence(AT_RUN_TIME)
