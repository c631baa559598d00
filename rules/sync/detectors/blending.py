"""What arithmetic adds to an old value: `0.1 * loss` in `mean = 0.9 * mean + 0.1 * loss`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from torchlint.pytorch.in_place import ADDING, SCALING
from torchlint.syntax.walk import walk, written

_Added: TypeAlias = "tuple[ast.expr, _Added] | None"
"""What is added on the way down to an operand, the innermost first."""


def terms_beside(value: ast.expr, old: ast.expr) -> list[ast.expr]:
    """Return what an expression adds to an old value by arithmetic that keeps both graphs."""
    return _terms(value, old) or []


def _terms(value: ast.expr, old: ast.expr) -> list[ast.expr] | None:
    """Return what is added to the old value, None if that is not an operand at all."""
    # A sum of thousands of terms is nested as deep, so its operands are gone through in a loop.
    waiting: list[tuple[ast.expr, _Added]] = [(value, None)]
    while waiting:
        one, added = waiting.pop()
        found: list[ast.expr] | None = None
        if type(one) is type(old):
            found = [] if written(one) == written(old) else None
        elif isinstance(one, ast.IfExp):
            found = _terms_of_arms(one, old)
        else:
            waiting += reversed(list(_operands(one, added)))
        if found is not None:
            return [*found, *_listed(added)]
    return None


def _operands(value: ast.expr, added: _Added) -> Iterator[tuple[ast.expr, _Added]]:
    """Yield the operands that may be the old value, each with what is added to it."""
    match value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            yield left, (right, added)
            yield right, (left, added)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            yield left, added
            yield right, added
        case ast.BinOp(left=scaled, op=ast.Div()) | ast.UnaryOp(op=ast.USub(), operand=scaled):
            yield scaled, added
        case ast.Call(func=ast.Attribute(value=scaled, attr=name), args=[term, *_]) if name in ADDING:
            yield scaled, (term, added)
        case ast.Call(func=ast.Attribute(value=scaled, attr=name), args=[_, *_]) if name in SCALING:
            yield scaled, added


def _listed(added: _Added) -> Iterator[ast.expr]:
    while added is not None:
        term, added = added
        yield term


def _terms_of_arms(value: ast.IfExp, old: ast.expr) -> list[ast.expr] | None:
    """Return what is added in the arms; an arm that starts again does so once, if the test reads the old value."""
    arms = [found for arm in (value.body, value.orelse) if (found := _terms(arm, old)) is not None]
    asks = any(type(node) is type(old) and written(node) == written(old) for node in walk(value.test))
    return [term for found in arms for term in found] if len(arms) == 2 or (arms and asks) else None
