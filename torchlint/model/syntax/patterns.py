"""Patterns of `match`: which of them let everything by, and which bind a name."""

from __future__ import annotations

import ast

from torchlint.model.syntax.walk import walk


def is_catch_all(case: ast.match_case) -> bool:
    """Tell whether a case takes whatever comes to it: `case _:`, `case other:`."""
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None


def captures(pattern: ast.pattern) -> bool:
    """Tell whether a pattern gives a part of what it matches a name."""
    return any(getattr(node, "name", None) or getattr(node, "rest", None) for node in walk(pattern))
