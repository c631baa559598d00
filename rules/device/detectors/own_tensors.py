"""Operations in which a module mixes parameters or buffers of its own with an input: `x @ self.weight.t()`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.devices.operands import is_on_the_device
from torchlint.model.modules.registered import registered_values
from torchlint.model.place import Caller, Place
from torchlint.model.tensors.dimensions import has_dimensions
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Frame, Function, Imported, Tensor
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.moves import MOVES_OF_TENSORS
from torchlint.pytorch.views import VIEW_ATTRIBUTES
from torchlint.syntax.around import is_self
from torchlint.syntax.reaching_definitions import reaching

from .made_of import is_made_of
from .meetings import Kind, meetings, operations_in
from .mixable import is_operation

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_NO_TENSOR: Place | None = None


def mixes_its_own(ev: Evaluator, kind: Class, method: Function, frame: Frame) -> bool:
    """Tell whether a method, in a call, mixes a tensor that its object registers with an argument on the device."""
    if frame.call is None:
        return False
    caller = Caller.of_frame(frame, frame.call)
    moved = frozenset(
        parameter.name
        for parameter in method.scope.parameters
        if any(is_on_the_device(ev, one) for one in caller.argument(parameter) or ())
    )
    return bool(moved) and any(
        _meets(ev, kind, place, moved) for place in operations_in(method.file, method.scope, frame)
    )


def _meets(ev: Evaluator, kind: Class, place: Place, moved: frozenset[str]) -> bool:
    for meeting in meetings(ev, place):
        first, *others = operands = meeting.operands or (place,)
        if meeting.kind is Kind.INDEXING:
            # Indices on the host are allowed in a tensor on the device.
            own, given = [first], others
        else:
            own, given = list(operands), list(operands)
        if any(_is_given(ev, one, moved) for one in given) and any(_is_own(ev, kind, one) for one in own):
            return True
    return False


def _is_given(ev: Evaluator, place: Place, moved: frozenset[str]) -> bool:
    """Tell whether an operand is on the device as an argument is: nothing of the object's own is in it."""
    is_of_argument = is_made_of(place, moved) and not is_made_of(place, frozenset({"self"}))
    return is_of_argument and is_on_the_device(ev, place)


def _is_own(ev: Evaluator, kind: Class, place: Place) -> bool:
    """Tell whether an operand is a registered tensor, or computed from one, with dimensions, and never moved."""
    own = _own_tensor(ev, kind, place)
    if own is None:
        return False
    if own.expression is place.expression:
        return _is_shaped(ev, kind, own)
    possible = [one for one in ev.evaluate(place) if isinstance(one.value, Tensor)]
    return bool(possible) and all(has_dimensions(ev, one) for one in possible) and _is_shaped(ev, kind, own)


def _is_shaped(ev: Evaluator, kind: Class, own: Place) -> bool:
    assert isinstance(own.expression, ast.Attribute)
    values = [one for value in registered_values(ev, kind, own.expression.attr) for one in ev.evaluate(value)]
    return bool(values) and all(has_dimensions(ev, one) for one in values)


@tabled(_NO_TENSOR)
def _own_tensor(ev: Evaluator, kind: Class, place: Place) -> Place | None:
    """Return the read of a registered tensor that an expression is computed from, without a move."""
    match place.expression:
        case ast.Attribute(value=owner, attr=name) if is_self(owner):
            return place if any(True for _ in registered_values(ev, kind, name)) else None
        case ast.Attribute(value=value, attr=name) if name in VIEW_ATTRIBUTES:
            parts = [value]
        case ast.Subscript(value=value) | ast.UnaryOp(operand=value):
            parts = [value]
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.Call() as call:
            parts = _computed_from(ev, place, call)
        case ast.Name(id=name):
            return _of_name(ev, kind, place, name)
        case _:
            return None
    return next((own for one in parts if (own := _own_tensor(ev, kind, place.at(one)))), None)


def _computed_from(ev: Evaluator, place: Place, call: ast.Call) -> list[ast.expr]:
    """Return what a method of a tensor, or a function of PyTorch, computes its result from, on the same device."""
    callees = [one.value for one in ev.evaluate(place.at(call.func))]
    if callees and all(isinstance(one, Imported) and is_operation(canonical(one.name)) for one in callees):
        return call.args
    match call.func:
        case ast.Attribute(value=owner, attr=name) if name not in MOVES_OF_TENSORS:
            return [owner]
        case _:
            return []


def _of_name(ev: Evaluator, kind: Class, place: Place, name: str) -> Place | None:
    bindings = place.scope.bindings.get(name, [])
    if not bindings or any(one.value is None or one.kind != "assign" or one.selector for one in bindings):
        return None
    reached = reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions
    values = [Place(place.file, one.value, one.statement, place.frame) for one in reached if one.value is not None]
    found = [_own_tensor(ev, kind, one) if one.statement is not place.statement else None for one in values]
    return found[0] if found and all(found) else None
