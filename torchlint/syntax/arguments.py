"""What a call passes, as it is written."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache


def passed(call: ast.expr, name: str, position: int | None = None) -> ast.expr | None:
    """Return what a call passes by a name, or else at a position."""
    assert isinstance(call, ast.Call)
    if (given := next((word.value for word in call.keywords if word.arg == name), None)) is not None:
        return given
    return call.args[position] if position is not None and position < len(call.args) else None


def is_flag(node: ast.expr | None, value: bool) -> bool:
    """Tell whether a flag is written as `True`, or as `False`."""
    return isinstance(node, ast.Constant) and node.value is value


def has_open_keywords(call: ast.Call) -> bool:
    """Tell whether a call passes `**more`, so that its keywords are not all known."""
    return any(word.arg is None for word in call.keywords)


# Each argument of a call asks for the others, one after the other.
@lru_cache(maxsize=64)
def named_arguments(call: ast.Call) -> tuple[ast.Name, ...]:
    """Return the positional arguments of a call that are names."""
    return tuple(one for one in call.args if isinstance(one, ast.Name))


def has_star(items: Iterable[ast.AST]) -> bool:
    """Tell whether any of several arguments or elements is `*more`, so that no position after it is known."""
    return any(isinstance(one, ast.Starred) for one in items)
