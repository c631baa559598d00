"""Which values are true in a test, and what is known of a value whose truth is."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import added_to
from torchlint.model.values.value_sets import (
    Built,
    Class,
    Device,
    Display,
    Function,
    Instance,
    Literal,
    Number,
    Text,
    Tuple,
    Unknown,
    Value,
)
from torchlint.syntax.arguments import has_star

if TYPE_CHECKING:
    from torchlint.model.place import Place


def truth_of_value(value: Value) -> bool | None:
    """Tell the truth of a value, if it is certain."""
    match value:
        case Literal(value=constant):
            return bool(constant)
        case Tuple(items=items):
            return bool(items)
        case Display(place=place):
            return _truth_of_display(place)
        case Built() | Instance() | Function() | Class() | Device():
            return True
        case Text(prefix=prefix):
            return True if prefix else None
        case Number(truth=truth) | Unknown(truth=truth):
            return truth
        case _:
            return None


def of_truth(value: Value, truth: bool) -> Value:
    """Return a value with what its truth shows of it."""
    match value:
        case Number():
            return Number(truth)
        case Unknown():
            return replace(value, truth=truth)
        case Text() if not truth:
            return Literal("")
        case _:
            return value


def _truth_of_display(place: Place) -> bool | None:
    match place.expression:
        case ast.List(elts=[]) if any(True for _ in added_to(place)):
            return None
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return None if has_star(items) else bool(items)
        case _:
            return None
