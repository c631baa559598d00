"""What a call passes, as it is written."""

from __future__ import annotations

import ast


def passed(call: ast.expr, name: str, position: int | None = None) -> ast.expr | None:
    """Return what a call passes by a name, or else at a position."""
    assert isinstance(call, ast.Call)
    if (given := next((word.value for word in call.keywords if word.arg == name), None)) is not None:
        return given
    return call.args[position] if position is not None and position < len(call.args) else None
