"""The tree of a program, in the grammar of the running Python or of a newer one: the only source of trees."""

from __future__ import annotations

import ast
import warnings


def tree_of(text: str) -> ast.Module:
    """Return the tree of a program; raises what `ast.parse` does if no known version of Python reads it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError:
            if (tree := _in_newer_grammar(text)) is None:
                raise
            return tree


def _in_newer_grammar(text: str) -> ast.Module | None:
    # Loaded only if parsing failed.
    from torchlint import newer

    return newer.tree_of(text)


def expression_of(text: str) -> ast.expr:
    """Return the tree of an expression; raises what `ast.parse` does for what is none."""
    match tree_of(f"({text}\n)").body:
        case [ast.Expr(value=value)]:
            return value
    raise SyntaxError("no expression")


def is_python(text: str) -> bool:
    """Tell whether a text is a program."""
    try:
        tree_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
