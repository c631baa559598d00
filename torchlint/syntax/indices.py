"""What is between the brackets of `x[…]`, by its syntax alone."""

from __future__ import annotations

import ast


def parts_of(index: ast.expr) -> list[ast.expr]:
    """Return the parts of an index, one for each dimension."""
    return index.elts if isinstance(index, ast.Tuple) else [index]


def keeps_place(part: ast.expr) -> bool:
    """Tell whether a part of an index selects contiguous items: `:n`, `None`, `-1`, but not `chosen`."""
    match part:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) | ast.Constant(value=value):
            return value is None or value is ... or type(value) is int
        case _:
            return isinstance(part, ast.Slice)


def leaves_nothing_out(part: ast.expr) -> bool:
    """Tell whether a part of an index selects all items: `:`, `None`."""
    match part:
        case ast.Constant(value=value):
            return value is None or value is ...
        case ast.Slice(lower=lower, upper=upper, step=step):
            return lower is upper is step is None
        case _:
            return False
