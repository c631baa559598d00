"""Subscripts that break a graph: masks, bounds and indices that are tensors, and the grids of NumPy."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.syncs.masks import is_mask
from torchlint.model.tensors.scalars import is_scalar
from torchlint.model.tensors.sure_tensors import are_tensors, is_surely_tensor
from torchlint.model.values.value_sets import Array, Imported, Tensor, Unknown
from torchlint.pytorch.dimensions import OF_ALL
from torchlint.pytorch.dtypes import CASTS
from torchlint.pytorch.graph_breaks import NUMPY_GRIDS
from torchlint.pytorch.untraced import Untraced

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def of_subscript(ev: Evaluator, place: Place) -> Untraced | None:
    """Return why a subscript breaks the graph."""
    node = place.expression
    assert isinstance(node, ast.Subscript)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if any(isinstance(part, ast.Slice) and _has_tensor_for_bound(ev, place, part) for part in parts):
        return Untraced.NUMBER
    if any(_is_number(ev, place.at(part)) for part in parts):
        return Untraced.READ
    return Untraced.CALL if _is_grid(ev, place.at(node.value)) else None


def _has_tensor_for_bound(ev: Evaluator, place: Place, part: ast.Slice) -> bool:
    bounds = [bound for bound in (part.lower, part.upper) if bound is not None]
    return any(is_surely_tensor(ev, place.at(bound)) for bound in bounds)


def _is_number(ev: Evaluator, index: Place) -> bool:
    """Tell whether an index is a tensor with a single number."""
    if isinstance(index.expression, (ast.Slice, ast.Constant, ast.UnaryOp)):
        return False
    return _has_no_dimension(ev, index) and is_surely_tensor(ev, index)


def _has_no_dimension(ev: Evaluator, index: Place) -> bool:
    """Tell whether an index is surely a tensor without dimensions: `scores.argmax()`, by any name."""
    made = [one.origin for one in ev.evaluate(index)]
    return bool(made) and all(one is not None and _is_number_of(ev, one) for one in made)


def _is_number_of(ev: Evaluator, made: Place) -> bool:
    """Tell whether a tensor is made as one number: `x.argmax()`, `x.sum().long()`, `x.argmax() + 1`."""
    while True:
        match made.expression:
            case ast.Call(func=ast.Attribute(attr=name), args=[], keywords=[]) if name in OF_ALL:
                return True
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=[]) if name in CASTS:
                made = made.at(owner)
            case ast.BinOp(left=left, right=ast.Constant()):
                made = made.at(left)
            case _:
                return is_scalar(ev, made)


def _is_grid(ev: Evaluator, owner: Place) -> bool:
    """Tell whether something makes a grid of the slices that it is given: `numpy.mgrid`."""
    possible = ev.evaluate(owner)
    return bool(possible) and all(isinstance(one.value, Imported) and one.value.name in NUMPY_GRIDS for one in possible)


def of_mask(ev: Evaluator, place: Place) -> Untraced | None:
    """Return why a subscript breaks the graph: its index is a mask."""
    assert isinstance(place.expression, ast.Subscript)
    index, masked = place.at(place.expression.slice), place.at(place.expression.value)
    # Whatever is indexed with a mask is no list.
    if not is_mask(ev, index) or not are_tensors(ev, index):
        return None
    possible = [one.value for one in ev.evaluate(masked)]
    is_one = all(isinstance(one, Tensor) for one in possible) or (
        is_surely_tensor(ev, index) and all(isinstance(one, (Tensor, Array, Unknown)) for one in possible)
    )
    return Untraced.SHAPE if possible and is_one else None
