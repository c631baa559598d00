"""What an expression may be by its choices: the arms of `a if test else b`."""

from __future__ import annotations

import ast


def arms_of(node: ast.expr) -> list[ast.expr]:
    """Return the arms of a choice, of those inside it as well, in source order; else the expression itself."""
    found: list[ast.expr] = []
    pending = [node]
    while pending:
        match pending.pop():
            case ast.IfExp(body=body, orelse=orelse):
                pending += (orelse, body)
            case arm:
                found.append(arm)
    return found
