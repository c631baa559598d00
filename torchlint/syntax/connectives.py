"""Tests composed of `not`, `and` and `or`: which of their parts explain the outcome of the whole."""

from __future__ import annotations

import ast
from collections.abc import Callable


def is_so_by(test: ast.expr, holds: bool, part: Callable[[ast.expr, bool], bool]) -> bool:
    """Return whether `part` explains a test with an outcome, by its parts, each with its outcome.

    If all parts must have that outcome, as those of an `and` that holds, one is enough; if any may have, all are
    needed.
    """
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_so_by(operand, not holds, part)
        case ast.BoolOp(op=op, values=values):
            found = (is_so_by(value, holds, part) for value in values)
            return any(found) if isinstance(op, ast.And) is holds else all(found)
        case _:
            return part(test, holds)
