"""A canonical order of possibilities, by where and what they are, for those that were found in a cycle.

There, the order in which they are found depends on where the cycle was entered.
"""

from __future__ import annotations

from typing import TypeAlias

from torchlint.inference.limits import MOST_POSSIBILITIES
from torchlint.model.place import Place
from torchlint.model.values.value_sets import (
    Built,
    Class,
    Device,
    Display,
    Function,
    Generated,
    Imported,
    Instance,
    Iterator,
    Literal,
    Number,
    PythonFile,
    StateDict,
    Tensor,
    Text,
    Tuple,
    Unknown,
    Value,
    ValueSet,
)

_Key: TypeAlias = "tuple[str, ...]"


def in_order(possible: ValueSet) -> tuple[ValueSet, bool]:
    """Return possibilities in canonical order, and whether they are all: of many, some are left out."""
    if len(possible) > MOST_POSSIBILITIES:
        return possible, False
    ordered = sorted(possible, key=lambda one: (_where(one.origin), type(one.value).__name__, _what(one.value)))
    return tuple(ordered), True


def _where(place: Place | None) -> tuple[object, ...]:
    if place is None:
        return ()
    if place.frame is None:
        return (*place.key, 0)
    return (*place.key, place.frame.depth, *(number for _, number in place.frame.iterations))


def _what(value: Value) -> _Key:
    match value:
        case Literal(value=constant):
            return (repr(constant),)
        case Text(prefix=text) | Built(name=text) | Imported(name=text):
            return (text,)
        case Device() | Tensor() | Number() | Unknown():
            return (repr(value),)
        case Function(file=file, scope=scope) | Class(file=file, scope=scope) | Instance(kind=Class(file, scope)):
            lines = (str(one.lineno) for one in scope.node.body[:1])
            return (file.path, scope.qualified_name, *lines, *_moves(value))
        case PythonFile(file=file):
            return (file.path,)
        case StateDict(owner=place) | Display(place=place):
            return (*map(str, place.key), *_moves(value))
        case Generated(function=function):
            return _what(function)
        case Iterator(items=items):
            return tuple(part for one in items for part in _what(one.value))
        case Tuple(items=groups):
            return tuple(part for group in groups for one in group for part in _what(one.value))
        case _:
            return ()


def _moves(value: Value) -> _Key:
    return tuple(repr(there) for _, there in value.moves) if isinstance(value, (Display, Instance)) else ()
