"""What operators return for their operands."""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import TYPE_CHECKING

from torchlint.model.guards.truth import equals_no_tensor
from torchlint.model.place import Place
from torchlint.model.tensors.dimensions import has_dimensions, is_computed
from torchlint.model.values.folding import computed, in_text, joined_parts
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import (
    HOST,
    UNKNOWN,
    Array,
    Device,
    Display,
    Literal,
    Number,
    Possibility,
    Tensor,
    Text,
    Tuple,
    Unknown,
    Value,
    ValueSet,
    known,
)

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_SCALING = (ast.Mult, ast.Div, ast.Pow)


def binary_of(ev: Evaluator, place: Place) -> ValueSet:
    """Return what `left op right` may be."""
    node = place.expression
    assert isinstance(node, ast.BinOp)
    return _combine(ev, ev.evaluate(place.at(node.left)), node, ev.evaluate(place.at(node.right)), place)


def combine_in_place(ev: Evaluator, left: ValueSet, made: ast.AugAssign, right: ValueSet, place: Place) -> ValueSet:
    """Return the result of `left += right`: a tensor is changed in place, and keeps its device."""
    return either(*(_on_device_of(one, _combine(ev, (one,), made, right, place)) for one in left))


def _combine(ev: Evaluator, left: ValueSet, made: ast.BinOp | ast.AugAssign, right: ValueSet, place: Place) -> ValueSet:
    """Return what an operator makes of two operands; the result is made at `place`."""
    if isinstance(made.op, ast.BitOr) and _are_dicts((*left, *right)):
        return known(Display(place.at(place.file.union_of(made))), place)
    return either(*(_combinations(ev, a, made.op, b, place) for a in left for b in right))


def _are_dicts(possible: ValueSet) -> bool:
    """Tell whether one operand is a dict display, so that all that are unknown are dicts."""
    shown = [one.value.place.expression for one in possible if isinstance(one.value, Display)]
    is_open = all(isinstance(one.value, (Display, Unknown)) for one in possible)
    return is_open and bool(shown) and all(isinstance(one, (ast.Dict, ast.DictComp)) for one in shown)


def _on_device_of(one: Possibility, found: ValueSet) -> ValueSet:
    if not isinstance(one.value, Tensor) or one.value.device is None:
        return found
    device = one.value.device
    return tuple(
        left.of_value(Tensor(device, left.value.graph)) if isinstance(left.value, Tensor) else left for left in found
    )


def _combinations(ev: Evaluator, a: Possibility, op: ast.operator, b: Possibility, place: Place) -> ValueSet:
    """Return what two operands give; for the sum of two lists, the elements of both."""
    if isinstance(op, ast.Add) and _is_filled(a.value) and _is_filled(b.value):
        return either(*((Possibility(one.value, place),) for one in (a, b)))
    return (_combined(ev, a, op, b, place),)


def _is_filled(value: Value) -> bool:
    """Tell whether something is a list or tuple that is not empty."""
    return isinstance(value, Display) or (isinstance(value, Tuple) and bool(value.items))


def _combined(ev: Evaluator, a: Possibility, op: ast.operator, b: Possibility, place: Place) -> Possibility:
    left, right = a.value, b.value
    match left, right:
        case (Literal(), Literal()):
            is_counted = _is_counted(a, place) or (b.origin != place and _is_counted(b, place))
            return Possibility(_counted_on(left) if is_counted else computed(left, op, right), place)
        case (Literal(value=str()) | Text(), _) if isinstance(op, (ast.Add, ast.Mod)):
            return Possibility(Text(_beginning(left, op)), place)
        case (Tensor(), _) | (_, Tensor()):
            result = _met(left, right)
            is_held = result.device is None and (_holds(ev, a, op, right, place) or _holds(ev, b, op, left, place))
            return Possibility(Tensor(HOST, result.graph) if is_held else result, place)
        case (Array(), _) | (_, Array()):
            return Possibility(Array(), place)
        case (Number() | Literal(), Number() | Literal()):
            return Possibility(Number(), place)
        case (Tuple(items=()), _) if isinstance(op, ast.Add):
            return b
        case (_, Tuple(items=())) if isinstance(op, ast.Add):
            return a
        case (Display() | Tuple(), _) | (_, Display() | Tuple()):
            return Possibility(left if isinstance(left, (Display, Tuple)) else right, place)
        case _:
            return Possibility(Unknown())


def _met(left: Value, right: Value) -> Tensor:
    """Return the result of two operands: a tensor on a device combines with no tensor with dimensions elsewhere.

    An ndarray combines with no tensor on a GPU: one that may be anywhere is not there, or the operation raises.
    """
    result = joined(left, right)
    there = [one.device for one in (left, right) if isinstance(one, Tensor) and one.device not in {None, HOST}]
    if there == [Device()] and any(isinstance(one, Array) for one in (left, right)):
        return Tensor(None, result.graph)
    return Tensor(there[0], result.graph) if result.device is None and len(there) == 1 else result


def _is_counted(one: Possibility, place: Place) -> bool:
    """Tell whether an operand is the result of counting: by this operation in an earlier iteration, or by `n += 1`."""
    if one.origin is None:
        return False
    return isinstance(one.origin.statement, ast.AugAssign) or one.origin.expression is place.expression


def _counted_on(constant: Literal) -> Value:
    """Return what repeated counting makes of a constant: unbounded iterations have unbounded results."""
    return Text() if isinstance(constant.value, str) else Number()


def _holds(ev: Evaluator, one: Possibility, op: ast.operator | None, other: Value, place: Place) -> bool:
    """Tell whether one operand keeps the result on the host, unless the other is known not to be there.

    A tensor with dimensions there combines with nothing elsewhere. What is only scaled is most likely scaled by a
    number.
    """
    if not isinstance(one.value, Tensor) or one.value.device != HOST:
        return False
    if _is_of_last_iteration(one, place):
        return True
    is_scaled = isinstance(other, Unknown) and isinstance(op, _SCALING)
    return has_dimensions(ev, one) or (is_scaled and is_computed(ev, one))


def _is_of_last_iteration(one: Possibility, place: Place) -> bool:
    """Tell whether an operand is the operation's own earlier result; `torch.ones(2)` in `x += torch.ones(2)` is not."""
    is_added = isinstance(place.statement, ast.AugAssign) and place.statement.value is place.expression
    return one.origin is not None and one.origin.expression is place.expression and not is_added


def _beginning(left: Value, op: ast.operator) -> str:
    if isinstance(left, Text):
        return left.prefix
    text = left.value if isinstance(left, Literal) and isinstance(left.value, str) else ""
    return text.partition("%")[0] if isinstance(op, ast.Mod) else text


def unary_of(ev: Evaluator, place: Place) -> ValueSet:
    """Return what `not x`, `-x` or `~x` may be."""
    node = place.expression
    assert isinstance(node, ast.UnaryOp)
    if isinstance(node.op, ast.Not):
        outcome = ev.truth(place)
        return known(Number() if outcome is None else Literal(outcome), place)
    return either(*((_negated(one, node.op, place),) for one in ev.evaluate(place.at(node.operand))))


def _negated(one: Possibility, op: ast.unaryop, place: Place) -> Possibility:
    if isinstance(one.value, Literal) and isinstance(one.value.value, (int, float)) and isinstance(op, ast.USub):
        return Possibility(Literal(-one.value.value), place)
    return Possibility(Number(), place) if isinstance(one.value, Literal) else one


def comparison_of(ev: Evaluator, place: Place) -> ValueSet:
    """Return what a comparison may be: a tensor if an operand is one, else a truth value."""
    node = place.expression
    assert isinstance(node, ast.Compare)
    if not any(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops):
        operands = (node.left, *node.comparators)
        possible = [ev.evaluate(place.at(side)) for side in operands]
        sides = [one.value for side in possible for one in side]
        is_unlike = any(map(equals_no_tensor, operands)) or any(map(_is_text, possible))
        if any(isinstance(side, Tensor) for side in sides) and not is_unlike:
            return known(Tensor(_compared_on(ev, possible, place), False), place)
        if any(isinstance(side, Array) for side in sides):
            return known(Array(), place)
        if any(isinstance(side, Unknown) for side in sides) and ev.truth(place) is None:
            return UNKNOWN
    outcome = ev.truth(place)
    return known(Number() if outcome is None else Literal(outcome), place)


def _compared_on(ev: Evaluator, sides: list[ValueSet], place: Place) -> Device | None:
    """Return where tensors are compared, if all agree: other possibilities of an operand do not combine with it."""
    pairs = [(a, b) for left, right in pairwise(sides) for a in left for b in right]
    devices = {
        _pair_on(ev, a, b, place) for a, b in pairs if isinstance(a.value, Tensor) or isinstance(b.value, Tensor)
    }
    return devices.pop() if len(devices) == 1 else None


def _pair_on(ev: Evaluator, a: Possibility, b: Possibility, place: Place) -> Device | None:
    device = _met(a.value, b.value).device
    is_held = device is None and (_holds(ev, a, None, b.value, place) or _holds(ev, b, None, a.value, place))
    return HOST if is_held else device


def _is_text(possible: ValueSet) -> bool:
    """Tell whether an operand is surely a text: then the comparison returns a truth value."""
    values = [one.value for one in possible]
    return bool(values) and all(
        isinstance(value, Text) or (isinstance(value, Literal) and isinstance(value.value, str)) for value in values
    )


def joined(*values: Value) -> Tensor:
    """Return the result of an operation on these: on their device, if they agree, with a graph if one has it.

    Beside a tensor on a device, one on the host can only be a scalar: the result is on the device.
    """
    tensors = [value for value in values if isinstance(value, Tensor)]
    is_open = any(isinstance(value, Unknown) for value in values)
    devices = {tensor.device for tensor in tensors} | ({None} if is_open else set())
    # What is combined with a tensor on a GPU is there as well, if it was on a device that is chosen at run time.
    for other in (HOST, Device()):
        devices -= {other} if len(devices) > 1 and None not in devices else set()
    graphs = {tensor.graph for tensor in tensors} | ({None} if is_open else set())
    graph = True if True in graphs else None if None in graphs or not graphs else False
    return Tensor(devices.pop() if len(devices) == 1 else None, graph)


def joined_text(ev: Evaluator, place: Place) -> ValueSet:
    """Return what an f-string is, as far as its beginning is known."""
    node = place.expression
    assert isinstance(node, ast.JoinedStr)
    return known(joined_parts(_part_of_text(ev, place, part) for part in node.values), place)


def _part_of_text(ev: Evaluator, place: Place, part: ast.expr) -> str | None:
    """Return a part of an f-string, None if it is unknown."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    assert isinstance(part, ast.FormattedValue)
    values = {one.value for one in ev.evaluate(place.at(part.value))}
    only = values.pop() if len(values) == 1 else None
    return in_text(only) if isinstance(only, Literal) and part.format_spec is None else None
