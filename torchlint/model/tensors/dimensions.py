"""Whether a tensor surely has a dimension: a scalar may be mixed with tensors on another device."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.roles import is_a, may_be_a
from torchlint.model.tensors.encodings import is_tokenizer
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Class, Display, Imported, Instance, Literal, Possibility, Tensor
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.classes import role_of
from torchlint.pytorch.dimensions import ALWAYS_SHAPED, REDUCING, SHAPING
from torchlint.pytorch.factories import FACTORIES, OF_NUMBERS, RANDINT, legacy_device
from torchlint.pytorch.roles import Role

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def has_dimensions(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a tensor surely has at least one dimension."""
    return one.origin is not None and _is_shaped(ev, one.origin)


@tabled(False)
def is_computed(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a tensor was computed from one with dimensions: `x.sum()`, `(a - b).mean() / 2`."""
    if one.origin is None:
        return False
    operands = (part for operand in _operands(one.origin.expression) for part in ev.evaluate(one.origin.at(operand)))
    tensors = [part for part in operands if isinstance(part.value, Tensor) and part != one]
    return any(has_dimensions(ev, part) or is_computed(ev, part) for part in tensors)


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.Call(func=ast.Attribute(value=owner), args=arguments):
            return [owner, *arguments]
        case ast.Call(args=arguments):
            return arguments
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Subscript(value=value) | ast.UnaryOp(operand=value):
            return [value]
        case _:
            return []


def _are_shaped(ev: Evaluator, place: Place) -> bool:
    tensors = [one for one in ev.evaluate(place) if isinstance(one.value, Tensor)]
    return bool(tensors) and all(has_dimensions(ev, one) for one in tensors)


@tabled(False)
def _is_shaped(ev: Evaluator, place: Place) -> bool:
    match place.expression:
        case ast.Call() as call:
            return _of_call(ev, place, call)
        case ast.BinOp(left=left, right=right):
            return _are_shaped(ev, place.at(left)) or _are_shaped(ev, place.at(right))
        case ast.UnaryOp(operand=operand):
            return _are_shaped(ev, place.at(operand))
        case ast.Compare(left=left, comparators=comparators):
            return any(_are_shaped(ev, place.at(side)) for side in (left, *comparators))
        case ast.Subscript(value=value, slice=key):
            return _keeps_one(ev, place, value, key) and _are_shaped(ev, place.at(value))
        case _:
            return False


def _keeps_one(ev: Evaluator, place: Place, value: ast.expr, key: ast.expr) -> bool:
    """Tell whether an index keeps a dimension: slices, new axes and keys of dicts do, a number need not."""
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    if any(isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value is None) for part in parts):
        return True
    keys = ev.evaluate(place.at(key))
    if keys and all(isinstance(one.value, Literal) and isinstance(one.value.value, str) for one in keys):
        return True
    if keys and all(isinstance(one.value, Tensor) and has_dimensions(ev, one) for one in keys):
        return True
    # A number selects a tensor of a batch, and a row of a tensor.
    return any(_is_batch(ev, one) for one in ev.evaluate(place.at(value)))


def _is_batch(ev: Evaluator, one: Possibility) -> bool:
    origin = one.origin
    if origin is None or not isinstance(origin.expression, ast.Call):
        return False
    return may_be_a(ev, origin, Role.LOADER)


def _of_call(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    for callee in ev.evaluate(place.at(call.func)):
        match callee.value:
            case Imported(name=name):
                return _of_function(ev, place, call, canonical(name))
            case Class() as kind if is_a(ev, Instance(kind), Role.LOADER):
                return True
            case Built(name=name):
                return not name.endswith("Loss")
    if not isinstance(call.func, ast.Attribute):
        return False
    name = call.func.attr
    if name in SHAPING or any(map(is_tokenizer, ev.evaluate(place.at(call.func.value)))):
        return True
    if name in REDUCING:
        return _has_later_dimension(call, 0)
    return _are_shaped(ev, place.at(call.func.value)) or any(
        _are_shaped(ev, place.at(argument)) for argument in call.args
    )


def _of_function(ev: Evaluator, place: Place, call: ast.Call, name: str) -> bool:
    if name in ALWAYS_SHAPED or role_of(name) is Role.LOADER:
        return True
    if name in OF_NUMBERS:
        return bool(call.args) and _is_filled(ev, place.at(call.args[0]))
    if legacy_device(name) is not None and _is_of_list(ev, place, call):
        return True
    if name in FACTORIES:
        return _has_size(ev, place, call, name)
    if name.rpartition(".")[2] in REDUCING:
        return _has_later_dimension(call, 1)
    return any(_are_shaped(ev, place.at(argument)) for argument in call.args)


def _is_filled(ev: Evaluator, place: Place) -> bool:
    """Tell whether data is a list display or a comprehension, and not a number."""
    values = ev.evaluate(place)
    return bool(values) and all(
        isinstance(one.value, Display) and not _is_empty(one.value.place.expression) for one in values
    )


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, (ast.List, ast.Tuple)) and not node.elts


def _has_size(ev: Evaluator, place: Place, call: ast.Call, name: str) -> bool:
    """Tell whether a factory's size has at least one number."""
    sizes: list[ast.expr] = [word.value for word in call.keywords if word.arg == "size"]
    if not sizes and name == RANDINT:
        sizes += [one for one in call.args[1:] if isinstance(one, (ast.Tuple, ast.List, ast.Name, ast.Attribute))][-1:]
    if not sizes:
        sizes = call.args[:1]
    if not sizes:
        return False
    if isinstance(sizes[0], ast.Starred):
        return True
    values = ev.evaluate(place.at(sizes[0]))
    return not any(isinstance(one.value, Display) and _is_empty(one.value.place.expression) for one in values)


def _has_later_dimension(call: ast.Call, position: int) -> bool:
    """Tell whether a reduction is along the second dimension or a later one: then the first is left."""
    given = [word.value for word in call.keywords if word.arg in {"dim", "axis"}]
    if any(
        word.arg == "keepdim" and isinstance(word.value, ast.Constant) and word.value.value for word in call.keywords
    ):
        return True
    dimension = given[0] if given else call.args[position] if len(call.args) > position else None
    return isinstance(dimension, ast.Constant) and isinstance(dimension.value, int) and dimension.value >= 1


def _is_of_list(ev: Evaluator, place: Place, call: ast.Call) -> bool:
    """Tell whether a tensor is made of a list: `torch.LongTensor([1, 2])`."""
    possible = ev.evaluate(place.at(call.args[0])) if call.args else ()
    return bool(possible) and all(isinstance(one.value, Display) for one in possible)
