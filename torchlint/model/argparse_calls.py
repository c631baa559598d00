"""Read the calls by which a program declares its options."""

from __future__ import annotations

import ast


def destination(call: ast.Call) -> str:
    """Return the attribute that an option ends up in: its `dest`, its first long name, or its only name.

    https://docs.python.org/3/library/argparse.html#dest
    """
    for word in call.keywords:
        if word.arg == "dest" and isinstance(word.value, ast.Constant):
            return str(word.value.value)
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    long = next((name for name in names if name.startswith("--")), names[0] if names else "")
    return long.lstrip("-").replace("-", "_")
