"""Read the calls by which a program declares its options."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from pathlib import Path

    from torchlint.project.library import Library

# `flags.DEFINE_string("device", "cuda", "where to run")`: https://abseil.io/docs/python/guides/flags
FLAGS = "absl.flags.FLAGS"
"""The object whose attributes are the flags."""
_DEFINING = frozenset(f"DEFINE_{kind}" for kind in "bool boolean enum float integer string".split())
DECLARING = ("add_argument", *sorted(_DEFINING))
"""The names of these calls."""


def files_declaring(library: Library, option: str) -> list[Path]:
    """Return the files that may declare an option, by the texts that they hold."""
    if not (declaring := dict.fromkeys(path for name in DECLARING for path in library.holding(name))):
        return []
    spellings = [library.holding(spelling) for spelling in (option, option.replace("_", "-"))]
    return [path for path in declaring if any(path in held for held in spellings)]


def destination(call: ast.Call) -> str:
    """Return the attribute that holds an option: its `dest`, its first long name, or its only name.

    https://docs.python.org/3/library/argparse.html#dest
    """
    for word in call.keywords:
        if word.arg == "dest" and isinstance(word.value, ast.Constant):
            return str(word.value.value)
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if callee_name(call) in _DEFINING:
        return names[0] if names else ""
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    return long.lstrip("-").replace("-", "_")


def default_expression(call: ast.Call) -> ast.expr | None:
    """Return the expression of an option's default, if it has one."""
    return passed(call, "default", 1 if callee_name(call) in _DEFINING else None)


def is_constant(call: ast.Call) -> bool:
    """Tell whether passing an option changes nothing: `store_true` with a default of true."""
    match passed(call, "action"), passed(call, "default"):
        case ast.Constant(value="store_true" | "store_false" as action), ast.Constant(value=bool(default)):
            return default is (action == "store_true")
        case _:
            return False
