"""How code handles the prefix that a wrapper puts before the keys of a state dict: it removes it, or needs it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.syntax.scope import Scope

_KEY = re.compile(r"[\w.]*")
_REGEX = str.maketrans("", "", "\\^")


def knows_prefix(code: ast.AST, prefix: str) -> bool:
    """Tell whether code contains a prefix, or a key that starts with it, or slices that much off a string."""
    return any(_says(node, prefix) or _cuts(node, prefix) for node in walk(code))


def needs_prefix(function: Scope, prefix: str) -> bool:
    """Tell whether a function fails if the prefix is missing: it reads such a key, or slices without a test."""
    nodes = list(walk(function.node))
    if any(_reads_key(node, prefix) for node in nodes):
        return True
    is_asked_for = any(_says(node, prefix) or _is_text(node, prefix.rstrip(".")) for node in nodes)
    return not is_asked_for and any(_cuts(node, prefix) for node in nodes)


def _says(node: ast.AST, prefix: str) -> bool:
    """Tell whether a constant is the prefix, as such or in a regular expression, or a key that starts with it."""
    match node:
        case ast.Constant(value=str(text)):
            text = text.translate(_REGEX)
            return text.startswith(prefix) and _KEY.fullmatch(text) is not None
        case _:
            return False


def _is_text(node: ast.AST, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _reads_key(node: ast.AST, prefix: str) -> bool:
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key)), ctx=ast.Load()):
            return key.startswith(prefix) and key != prefix
        case _:
            return False


def _cuts(node: ast.AST, prefix: str) -> bool:
    """Tell whether an expression is a key without its beginning: `key[7:]`, `key.split(".", 1)[1]`."""
    match node:
        case ast.Subscript(value=ast.Name(), slice=ast.Slice(lower=ast.Constant(value=start), upper=None, step=None)):
            return start == len(prefix)
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value="."), *_]) as parts):
            return _is_rest(parts, name, node.slice)
        case _:
            return False


def _is_rest(parts: ast.Call, name: str, taken: ast.expr) -> bool:
    """Tell whether all but the first of a key's parts are read."""
    is_in_two = name == "partition" or (name == "split" and len(parts.args) + len(parts.keywords) > 1)
    match taken:
        case ast.Slice(lower=ast.expr(), upper=None):
            return name == "split"
        case ast.Constant(value=position):
            return is_in_two and position == (2 if name == "partition" else 1)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return is_in_two
        case _:
            return False
