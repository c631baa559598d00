"""Patterns of `match`: which of them always match, which bind a name, and the guard."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchlint.syntax.walk import walk


def is_catch_all(case: ast.match_case) -> bool:
    """Tell whether a case always matches: `case _:`, `case other:`."""
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def captures(pattern: ast.pattern) -> bool:
    """Tell whether a pattern binds a name to a part of what it matches."""
    return any(getattr(node, "name", None) or getattr(node, "rest", None) for node in walk(pattern))


def plain_guard(case: ast.match_case) -> ast.expr | None:
    """Return the guard of a case, if the pattern binds no names for it."""
    return None if captures(case.pattern) else case.guard


def may_be_taken(case: ast.match_case, match: ast.stmt, decide: Callable[[ast.expr, ast.stmt], bool | None]) -> bool:
    """Tell whether the guard of a case may hold."""
    guard = plain_guard(case)
    return guard is None or decide(guard, match) is not False
