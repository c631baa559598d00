"""Comparisons of single items of tensors: these have no dimensions, and may be on two devices."""

from __future__ import annotations

import ast

from torchlint.model.place import Place
from torchlint.model.syncs.branching import asked


def compares_items(place: Place) -> bool:
    """Tell whether Python asks for the truth of a comparison of an item: `if predicted[i] == labels[i]`.

    Only a tensor of one element has a truth, and an item that has one is hardly ever `[[1]][0]`.
    """
    match place.expression:
        case ast.Compare(left=left, comparators=[right]) if _is_item(left) or _is_item(right):
            return any(one.expression is place.expression for one in asked(place.file))
        case _:
            return False


def _is_item(node: ast.expr) -> bool:
    match node:
        case ast.Subscript(slice=ast.Name() | ast.Constant(value=int()) | ast.BinOp()):
            return True
        case _:
            return False
