"""Statements that report a failure: `logger.error(…)`, `warnings.warn(…)`, `print("ERROR: …")`.

A branch with one is no regular step.
"""

from __future__ import annotations

import ast
import re

from torchlint.syntax.last_names import last_name

_LEVELS = frozenset({"error", "exception", "critical", "fatal", "warning", "warn"})
_LOGGER = re.compile(r"log(ger|ging)?|warnings", re.IGNORECASE)
_SAYING = re.compile(r"\W*(error|warn(ing)?|fatal|fail(ed|ure)?)\b", re.IGNORECASE)


def tells_of_failure(statement: ast.stmt) -> bool:
    """Tell whether a statement only reports that something went wrong."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=name))) if name in _LEVELS:
            return _LOGGER.search(last_name(owner)) is not None
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[first, *_])):
            return _SAYING.match(_beginning(first)) is not None
        case _:
            return False


def _beginning(text: ast.expr) -> str:
    """Return how a text in a call begins, empty if it is unknown."""
    match text:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=[first, *_]):
            return _beginning(first)
        case ast.BinOp(left=left, op=ast.Mod() | ast.Add()):
            return _beginning(left)
        case ast.Call(func=ast.Attribute(value=owner, attr="format")):
            return _beginning(owner)
        case _:
            return ""
