"""Tensors as indices of lists and of ndarrays, which take a number: `names[prediction]`, `confusion[label, guess]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Array, Display, Possibility

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_LISTS = (ast.List, ast.Tuple, ast.ListComp)
_OPEN = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


def indices_in(subscript: ast.Subscript) -> Iterator[ast.expr]:
    """Yield the indices in a subscript that may be tensors, those of several dimensions singly."""
    return (one for one in _parts(subscript) if _is_open(one))


def _is_open(index: ast.expr) -> bool:
    """Tell whether an index may be a tensor, also one that is computed from others: `names[guess - 1]`."""
    match index:
        case ast.BinOp(left=left, right=right):
            return _is_open(left) or _is_open(right)
        case ast.UnaryOp(operand=operand):
            return _is_open(operand)
        case _:
            return isinstance(index, _OPEN)


def is_index(subscript: ast.Subscript, part: ast.expr) -> bool:
    """Tell whether an expression is an index of a subscript, and no bound of a slice in it."""
    return part in _parts(subscript)


def _parts(subscript: ast.Subscript) -> list[ast.expr]:
    return subscript.slice.elts if isinstance(subscript.slice, ast.Tuple) else [subscript.slice]


def takes_numbers(ev: Evaluator, indexed: Place) -> bool:
    """Tell whether something surely is a list, a tuple or an ndarray: a dict looks up the tensor itself."""
    possible = ev.evaluate(indexed)
    return bool(possible) and all(map(_is_list, possible))


def _is_list(one: Possibility) -> bool:
    match one.value:
        case Array():
            return True
        case Display():
            return one.origin is not None and isinstance(one.origin.expression, _LISTS)
        case _:
            return False
