"""What arithmetic adds to an old value: `0.1 * loss` in `mean = 0.9 * mean + 0.1 * loss`."""

from __future__ import annotations

import ast
from typing import TypeAlias

from torchlint.syntax.walk import walk, written

_Terms: TypeAlias = "list[ast.expr] | None"
"""What is added to the old value, None if that is not an operand at all."""

_ADDING = frozenset({"add", "sub", "lerp"})
_SCALING = frozenset({"mul", "div"})


def terms_beside(value: ast.expr, old: ast.expr) -> list[ast.expr]:
    """Return what an expression adds to an old value by arithmetic that keeps both graphs."""
    return _terms(value, old) or []


def _terms(value: ast.expr, old: ast.expr) -> _Terms:
    if type(value) is type(old):
        return [] if written(value) == written(old) else None
    match value:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _beside(left, right, old) or _beside(right, left, old)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            found = _terms(left, old)
            return found if found is not None else _terms(right, old)
        case ast.BinOp(left=scaled, op=ast.Div()) | ast.UnaryOp(op=ast.USub(), operand=scaled):
            return _terms(scaled, old)
        case ast.IfExp():
            return _terms_of_arms(value, old)
        case ast.Call(func=ast.Attribute(value=scaled, attr=name), args=[added, *_]) if name in _ADDING | _SCALING:
            found = _terms(scaled, old)
            return [*found, added] if found is not None and name in _ADDING else found
        case _:
            return None


def _beside(one: ast.expr, other: ast.expr, old: ast.expr) -> _Terms:
    found = _terms(one, old)
    return [*found, other] if found is not None else None


def _terms_of_arms(value: ast.IfExp, old: ast.expr) -> _Terms:
    """Return what is added in the arms; an arm that starts again does so once, if the test reads the old value."""
    arms = [found for arm in (value.body, value.orelse) if (found := _terms(arm, old)) is not None]
    asks = any(type(node) is type(old) and written(node) == written(old) for node in walk(value.test))
    return [term for found in arms for term in found] if len(arms) == 2 or (arms and asks) else None
