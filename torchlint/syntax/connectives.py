"""Tests that are put together by `not`, `and` and `or`: which of their parts tell why the whole came out as it did."""

from __future__ import annotations

import ast
from collections.abc import Callable


def is_so_by(test: ast.expr, holds: bool, part: Callable[[ast.expr, bool], bool]) -> bool:
    """Tell of a test that came out as it did what `part` tells of the parts, each with how it came out.

    Where all parts came out so, as those of an `and` that holds, one that is so will do; where any may have, all have
    to be so.
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_so_by(operand, not holds, part)
        case ast.BoolOp(op=op, values=values):
            found = (is_so_by(value, holds, part) for value in values)
            return any(found) if isinstance(op, ast.And) is holds else all(found)
        case _:
            return part(test, holds)
