"""Patterns of `match`: which of them let everything by, which bind a name, and what is asked besides."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchlint.syntax.walk import walk


def is_catch_all(case: ast.match_case) -> bool:
    """Tell whether a case takes whatever comes to it: `case _:`, `case other:`."""
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def captures(pattern: ast.pattern) -> bool:
    """Tell whether a pattern gives a part of what it matches a name."""
    return any(getattr(node, "name", None) or getattr(node, "rest", None) for node in walk(pattern))


def plain_guard(case: ast.match_case) -> ast.expr | None:
    """Return the test that a case makes once its pattern fits, where the pattern binds no names of its own for it."""
    return None if captures(case.pattern) else case.guard


def may_be_taken(case: ast.match_case, match: ast.stmt, decide: Callable[[ast.expr, ast.stmt], bool | None]) -> bool:
    """Tell whether what a case asks besides its pattern may hold."""
    guard = plain_guard(case)
    return guard is None or decide(guard, match) is not False
