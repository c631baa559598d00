"""What makes a tensor: the factories behind a chain of calls that changes nothing a device could tell.

Types, shapes, triangles and fillings are the same on every device, and what is joined of tensors that are made there
is there: `torch.cat([torch.ones(2), torch.zeros(3)]).long().view(-1, 1)` could be made anywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from torchlint.model.arguments import passed
from torchlint.model.devices import is_data_type
from torchlint.model.torch_facts import COMPUTING_FACTORIES, PARAMETER, legacy_device

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.place import Place

_CONVERTING = frozenset({"float", "double", "half", "bfloat16", "long", "int", "bool"})
# The same numbers in another shape. Not `expand`: what is moved has memory for each number, what is expanded has not.
_SHAPING = frozenset({"view", "reshape", "unsqueeze", "squeeze", "flatten", "t", "transpose", "permute", "repeat"})
_FILLING = frozenset({"fill_", "zero_"})
_TRIANGULAR = frozenset({"triu", "tril", "triu_", "tril_"})
_KEEPING = _CONVERTING | _SHAPING | _FILLING | _TRIANGULAR
_OF_TENSOR = frozenset({"torch.triu", "torch.tril"})
_JOINING = frozenset(f"torch.{name}" for name in "cat concat concatenate stack hstack vstack dstack".split())
# Who says one of these has a reason to make the tensor where it does.
_PLACING = frozenset({"device", "out", "pin_memory", "requires_grad"})


@dataclass(frozen=True, slots=True)
class Making:
    """The calls of factories that a tensor is made by."""

    calls: tuple[Call, ...]
    is_parameter: bool = False
    """Whether they make it for an `nn.Parameter`, which wants no gradients."""


def making_of(place: Place, *, is_filled: bool = False) -> Making | None:
    """Return how a tensor is made, or None where that is not known or does not go on every device.

    What is filled afterwards may have been made with nothing in it.
    """
    call = place.file.call_at(place)
    if call is None or call.is_open:
        return None
    if call.owner is not None and isinstance(call.owner.expression, ast.Call):
        is_kept = call.method in _KEEPING or _is_retyped(call)
        return making_of(call.owner, is_filled=is_filled or call.method in _FILLING) if is_kept else None
    names = call.callee.names
    if names & COMPUTING_FACTORIES or (is_filled and any(legacy_device(name) == "cpu" for name in names)):
        return None if _PLACING & call.keywords.keys() else Making((call,))
    return _of_given(call, names)


def _of_given(call: Call, names: frozenset[str]) -> Making | None:
    """Return how the tensors are made that a call is given and makes one of."""
    if "torch.autograd.Variable" in names and call.arguments and not call.keywords:
        return making_of(call.arguments[0])
    if names & _OF_TENSOR and "out" not in call.keywords:
        given = call.argument("input", 0)
        return making_of(given) if given is not None else None
    if names & _JOINING and "out" not in call.keywords:
        return _joined(call)
    if PARAMETER in names and call.arguments and _wants_no_gradients(call):
        made = making_of(call.arguments[0])
        return replace(made, is_parameter=True) if made is not None else None
    return None


def _joined(call: Call) -> Making | None:
    """Return how all of the tensors are made that `torch.cat([…])` joins, where they are written there."""
    parts = call.argument("tensors", 0)
    if parts is None or not isinstance(parts.expression, (ast.List, ast.Tuple)):
        return None
    return _all_of(making_of(parts.at(part)) for part in parts.expression.elts)


def _all_of(makings: Iterable[Making | None]) -> Making | None:
    found: list[Call] = []
    for making in makings:
        if making is None or making.is_parameter:
            return None
        found += making.calls
    return Making(tuple(found)) if found else None


def _is_retyped(call: Call) -> bool:
    """Tell whether `.to(…)` only changes the type: `.to(torch.float32)`, `.to(dtype=…)`, `.to(dtype)`."""
    if call.method != "to" or len(call.arguments) + len(call.keywords) != 1:
        return False
    if "dtype" in call.keywords:
        return True
    given = call.argument("", 0)
    return given is not None and (given.word.endswith("dtype") or _is_data_type(given))


def _is_data_type(given: Place) -> bool:
    possible = given.possibilities()
    return bool(possible) and all(is_data_type(one) for one in possible)


def _wants_no_gradients(call: Call) -> bool:
    flag = passed(call.expression, "requires_grad")
    return isinstance(flag, ast.Constant) and flag.value is False
