"""Edits that replace an operation in place: `gate = gate * x` for `gate *= x`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.finding import Edit, Span

if TYPE_CHECKING:
    from torchlint.syntax.site import Site

_PRIMARY = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def computed_anew(target: Site) -> tuple[Edit, ...]:
    """Assign the result of an operation instead of augmenting, no edit if the target is no name."""
    statement = target.statement
    if not isinstance(statement, ast.AugAssign) or not isinstance(statement.target, ast.Name):
        return ()
    start, value = target.span, target.at(statement.value)
    first = Span(value.span.line, value.span.column, value.span.line, value.span.column)
    between = target.file.text_between(start, first)
    operator, equals, behind = between.partition("=")
    if "\n" in between or not equals:
        return ()
    column = start.end_column + len(operator) + 1
    assigned = Edit(
        Span(start.end_line, start.end_column, start.end_line, column), f" = {target.text} {operator.strip()}"
    )
    if "(" in behind or isinstance(statement.value, _PRIMARY):
        return (assigned,)
    last = Span(value.span.end_line, value.span.end_column, value.span.end_line, value.span.end_column)
    return (assigned, Edit(first, "("), Edit(last, ")"))
