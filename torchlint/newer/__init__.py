"""Programs in the grammar of a newer Python than the one that runs.

LibCST's parser knows the grammar of every Python. What the running Python does not know of it is rewritten in its own
grammar, parsed by it, and every node of the tree gets its position in the original program. So Python's own parser
checks all that is not new, and the trees are its own.

| new | since | in the tree |
|---|---|---|
| quotes, backslashes, comments and lines in fields of f-strings | 3.12 | unchanged |
| type parameters, and their defaults | 3.12, 3.13 | left out |
| `type X = …` | 3.12 | an assignment |
| `except A, B:` | 3.14 | a tuple |
| t-strings | 3.14 | a tuple of their texts and fields: nothing is formatted |
| `lazy import` | 3.15 | an import |
| `[*x for x in y]`, `{**x for x in y}` | 3.15 | a tuple for each, a generator of the dicts |
| `except*`, `a[*b]`, `*args: *Ts` | 3.11 | `except`, a tuple, the name |
"""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from torchlint.newer.nesting import is_soon_parsed

if TYPE_CHECKING:
    from libcst import Module

__all__ = ["tree_of", "without_texts"]

# All new syntax contains one of these, and most text that is no Python has none: LibCST is not loaded for that.
_MAYBE_NEWER = re.compile(
    r"\b(?:[rR]?[fFtT]|[fFtT][rR])['\"]|(?:^|[;:])[ \t]*(?:type|lazy)\b|\bexcept\b"
    r"|\b(?:def|class)[ \t\\]+\w+[ \t\\]*\[|[\[({:,]\s*\*",
    re.MULTILINE,
)


def tree_of(text: str) -> ast.Module | None:
    """Return the tree of a program that the running Python cannot parse, None if no known version can."""
    if not _is_worth_a_try(text):
        return None
    try:
        return tree_by(sys.version_info[:2], text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def tree_by(running: tuple[int, int], text: str) -> ast.Module:
    """Return the tree of a program after rewriting what came after a version of Python.

    Raises `SyntaxError` for what is no program, and `ValueError` for a string in it with an invalid escape.
    """
    from torchlint.newer.constructs import rewritten
    from torchlint.newer.restoring import restored

    rewriting = rewritten(_parsed(text), text, running)
    return restored(ast.parse(rewriting.text), rewriting)


def without_texts(text: str) -> str | None:
    """Return a program with names in brackets for all newer formatted strings, everything else at its position.

    Comments in their fields are kept. None if there is no such string, or it is unknown.
    """
    if not _is_worth_a_try(text):
        return None
    try:
        from torchlint.newer.constructs import blanked

        return blanked(_parsed(text), text, sys.version_info[:2])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_worth_a_try(text: str) -> bool:
    return _MAYBE_NEWER.search(text) is not None and is_soon_parsed(text)


def _parsed(text: str) -> Module:
    from libcst import CSTLogicError, ParserSyntaxError, parse_module

    try:
        tree = parse_module(text)
    except (ParserSyntaxError, CSTLogicError) as error:
        raise SyntaxError("LibCST cannot read it") from error
    if tree.code != text:
        raise ValueError("LibCST would write it otherwise, so nobody knows where its nodes stand")
    return tree
