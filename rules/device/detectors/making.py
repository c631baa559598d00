"""What makes a tensor: the factories in a chain of calls whose result is the same on every device.

Types, shapes, triangles and fillings are the same on every device, and the concatenation of tensors that are made there
is there: `torch.cat([torch.ones(2), torch.zeros(3)]).long().view(-1, 1)[None]` could be made anywhere. So could a
tensor with a name in between, `eye = torch.eye(3)`, if only the next operation reads it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torchlint.model.calls import call_at
from torchlint.model.values.kinds import is_number
from torchlint.pytorch.dtypes import CASTS, JOINING
from torchlint.pytorch.factories import COMPUTING_FACTORIES, OF_DATA, legacy_device
from torchlint.pytorch.new_tensors import FILLING, FUNCTIONS, PLACING, POINTWISE, SHAPING, SHARING, TRIANGULAR, TURNED
from torchlint.pytorch.symbols import MESHGRID, PARAMETER, VARIABLE
from torchlint.syntax.arguments import has_open_keywords, is_flag, passed
from torchlint.syntax.indices import keeps_place, leaves_nothing_out, parts_of
from torchlint.syntax.last_names import callee_name

from .made_for import made_for
from .retyping import is_retyped

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_CONVERTING = frozenset(CASTS)
_KEEPING = _CONVERTING | SHAPING | SHARING | FILLING | TRIANGULAR | POINTWISE


@dataclass(frozen=True, slots=True)
class Making:
    """The calls of factories that make a tensor."""

    calls: tuple[Call, ...]
    is_parameter: bool = False
    """Whether they make it for an `nn.Parameter`, which should require no gradients."""
    is_view: bool = False
    """Whether it has no memory of its own for each of its elements, as a copy has."""
    is_rounded: bool = False
    """Whether its last digits may differ between devices: `torch.exp(…)`."""
    is_counted: bool = False
    """Whether the CPU counts its elements: `torch.LongTensor(range(n))`."""
    held: tuple[Place, ...] = ()
    """The values of the names in between."""
    is_always_taken: bool = True
    """Whether it takes the whole chain whenever it is made."""


def making_of(ev: Evaluator, place: Place, *, is_filled: bool = False) -> Making | None:
    """Return how a tensor is made, or None if that is unknown or does not work on every device.

    A tensor that is filled afterwards may have been made empty.
    """
    match place.expression:
        case ast.Name():
            return _of_name(ev, place, is_filled)
        case ast.Subscript(value=value, slice=index) if all(map(keeps_place, parts_of(index))):
            made = making_of(ev, place.at(value), is_filled=is_filled)
            return made if all(map(leaves_nothing_out, parts_of(index))) else _as_view(made)
        case ast.Attribute(value=value, attr=name) if name in TURNED:
            return making_of(ev, place.at(value), is_filled=is_filled)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            made = making_of(ev, place.at(operand))
            return replace(made, is_view=False) if made is not None and not made.is_parameter else None
        case ast.BinOp(left=left, right=right):
            return _of_terms(ev, place.at(left), place.at(right)) or _of_terms(ev, place.at(right), place.at(left))
    call = call_at(place)
    # The arguments in `*size` are lengths: a device is a keyword.
    if call is None or not isinstance(call.expression, ast.Call) or has_open_keywords(call.expression):
        return None
    if call.method in _KEEPING or is_retyped(call):
        return _of_receiver(ev, call, is_filled)
    names = call.callee.names
    if names & COMPUTING_FACTORIES or (is_filled and any(legacy_device(name) == "cpu" for name in names)):
        return None if _is_placed(call) else Making((call,))
    if _is_counted(call, names):
        return Making((call,), is_counted=True)
    return _of_given(ev, call, names)


def _is_counted(call: Call, names: AbstractSet[str]) -> bool:
    """Tell whether a call makes a tensor of a range: `torch.tensor(range(n))`, `torch.LongTensor(range(n))`."""
    is_of_values = bool(names & OF_DATA) or any(legacy_device(name) == "cpu" for name in names)
    return (
        is_of_values
        and not call.is_open
        and not _is_placed(call)
        and len(call.arguments) == 1
        and _is_range(call.arguments[0].expression)
    )


def _is_placed(call: Call) -> bool:
    """Tell whether a tensor is made on its device for a reason."""
    return any(
        name in PLACING and not (name == "requires_grad" and _wants_no_gradients(call)) for name in call.keywords
    )


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and callee_name(node) == "range"


def _of_name(ev: Evaluator, place: Place, is_filled: bool) -> Making | None:
    """Return how a tensor is made whose name has only this read."""
    given = made_for(ev, place)
    if given is None:
        return None
    made = _of_grid(ev, given.value) if given.is_part else making_of(ev, given.value, is_filled=is_filled)
    if made is None:
        return None
    return replace(
        made,
        held=(given.value, *made.held),
        is_always_taken=made.is_always_taken and given.is_always_read,
    )


def _of_terms(ev: Evaluator, term: Place, other: Place) -> Making | None:
    """Return how a tensor is made that is combined with a number: `torch.arange(n) + 1`."""
    possible = ev.evaluate(other)
    is_of_numbers = bool(possible) and all(is_number(one.value) for one in possible)
    made = making_of(ev, term) if is_of_numbers or isinstance(other.expression, ast.Name) else None
    if made is None or made.is_parameter or not (is_of_numbers or _is_length(other, made)):
        return None
    return replace(made, is_view=False)


def _is_length(name: Place, made: Making) -> bool:
    """Tell whether the value of a name is the argument of a factory, and so a number: `torch.arange(n) / n`."""
    given = (argument for call in made.calls for argument in (*call.arguments, *call.keywords.values()))
    return any(one.text == name.text and one.statement is name.statement for one in given)


def _of_receiver(ev: Evaluator, call: Call, is_filled: bool) -> Making | None:
    """Return how a tensor is made that a method, or the function of that name, gives another shape, type or filling."""
    owner = call.owner
    made = making_of(ev, owner, is_filled=is_filled or call.method in FILLING) if owner is not None else None
    if made is None and (owner is None or isinstance(owner.expression, ast.Name)):
        return _of_given(ev, call, call.callee.names)
    return _after(call, made)


def _after(call: Call, made: Making | None) -> Making | None:
    """Return how a tensor is made that a call computes from another one."""
    if made is None:
        return None
    if call.method in POINTWISE:
        return None if made.is_parameter else replace(made, is_view=False, is_rounded=True)
    return _as_view(made) if call.method in SHARING else made


def _of_given(ev: Evaluator, call: Call, names: frozenset[str]) -> Making | None:
    """Return how the tensor arguments of a call that combines them are made."""
    if VARIABLE in names and call.arguments and not call.is_open and not call.keywords:
        return making_of(ev, call.arguments[0])
    if names & FUNCTIONS and "out" not in call.keywords:
        given = call.argument("input", 0)
        return _after(call, making_of(ev, given) if given is not None else None)
    if names & JOINING and "out" not in call.keywords:
        return _joined(ev, call)
    if PARAMETER in names and call.arguments and _wants_no_gradients(call):
        made = making_of(ev, call.arguments[0])
        return replace(made, is_parameter=True) if made is not None else None
    return None


def _as_view(made: Making | None) -> Making | None:
    return replace(made, is_view=True) if made is not None else None


def _joined(ev: Evaluator, call: Call) -> Making | None:
    """Return how all of the tensors are made that `torch.cat([…])` concatenates, if they are in a display there."""
    parts = call.argument("tensors", 0)
    made = _of_parts(ev, parts) or _of_grid(ev, parts) if parts is not None else None
    # A concatenation has memory of its own.
    return replace(made, is_view=False) if made is not None else None


def _of_parts(ev: Evaluator, parts: Place) -> Making | None:
    if not isinstance(parts.expression, (ast.List, ast.Tuple)):
        return None
    return _all_of(making_of(ev, parts.at(part)) for part in parts.expression.elts)


def _of_grid(ev: Evaluator, place: Place) -> Making | None:
    """Return how the tensors are made that `torch.meshgrid(torch.arange(h), torch.arange(w))` returns as views."""
    call = call_at(place)
    if call is None or call.callee.names != {MESHGRID} or call.is_open or call.keywords.keys() - {"indexing"}:
        return None
    sides = call.arguments
    listed = _of_parts(ev, sides[0]) if len(sides) == 1 else None
    return _as_view(listed or _all_of(making_of(ev, side) for side in sides))


def _all_of(makings: Iterable[Making | None]) -> Making | None:
    whole: Making | None = None
    for making in makings:
        if making is None or making.is_parameter:
            return None
        whole = making if whole is None else _both(whole, making)
    return whole


def _both(one: Making, other: Making) -> Making:
    return Making(
        tuple(dict.fromkeys(one.calls + other.calls)),
        is_rounded=one.is_rounded or other.is_rounded,
        is_counted=one.is_counted or other.is_counted,
        held=tuple(dict.fromkeys(one.held + other.held)),
        is_always_taken=one.is_always_taken and other.is_always_taken,
    )


def _wants_no_gradients(call: Call) -> bool:
    return is_flag(passed(call.expression, "requires_grad"), False)
