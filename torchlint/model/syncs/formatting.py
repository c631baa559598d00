"""Values that are converted to text: printed, logged, put into f-strings, shown by a progress bar."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.plain import plain
from torchlint.model.values.value_sets import Imported
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

# Functions that convert every argument to text, whatever their owner.
_SHOWING = ("print", "info", "warning", "error", "critical", "log", "write", "set_postfix", "set_postfix_str",
            "set_description", "set_description_str", "str", "repr", "format")  # fmt: skip
# TensorBoard and the like read the number of a tensor as soon as they receive it.
_WRITING = ("add_scalar", "add_scalars", "add_histogram")
_LOGGERS = re.compile(r"(?<![a-z])(log|logger|logging|pbar|bar|progress|tqdm|t|loop|wandb)(?![a-z])")


def formatted(file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    """Yield the expressions of a file that become text or are passed to a writer of numbers, each with what does it."""
    for value, by, statement in (*_in_templates(file), *_in_calls(file)):
        yield Place(file, value, statement), _shown_by(file, by, statement)


def _in_templates(file: ParsedFile) -> Iterator[tuple[ast.expr, ast.expr, ast.stmt]]:
    """Yield the formatted values of f-strings and `"…" % (…)`."""
    for text, statement in file.index.expressions(ast.JoinedStr):
        for part in text.values:
            if isinstance(part, ast.FormattedValue):
                yield part.value, text, statement
    for operation, statement in file.index.expressions(ast.BinOp):
        if isinstance(operation.op, ast.Mod) and _is_text(operation.left):
            for value in _items(operation.right):
                yield value, operation, statement


def _in_calls(file: ParsedFile) -> Iterator[tuple[ast.expr, ast.expr, ast.stmt]]:
    """Yield the arguments of `print`, loggers and writers."""
    for name in (*_SHOWING, *_WRITING):
        for call, statement in file.index.calls(name):
            if shows(Place(file, call, statement)):
                for value in (*call.args, *(word.value for word in call.keywords)):
                    yield from ((one, call, statement) for one in _shown_of(value))


def _shown_of(value: ast.expr) -> list[ast.expr]:
    """Return what is shown of an argument: of a dict display, `{"loss": loss}`, its values."""
    return value.values if isinstance(value, ast.Dict) else [value]


def _shown_by(file: ParsedFile, text: ast.expr, statement: ast.stmt) -> Place:
    """Return the outermost call that shows a text, or else the text itself."""
    parents = file.parents_in(statement)
    found, child = text, parents.get(text)
    while child is not None:
        if isinstance(child, ast.Call) and shows(Place(file, child, statement)):
            found = child
        child = parents.get(child)
    return Place(file, found, statement)


def shows(place: Place) -> bool:
    """Tell whether a call shows its arguments: `print(…)`, `logger.info(…)`, `"…".format(…)`, not `file.write(…)`."""
    call = place.expression
    assert isinstance(call, ast.Call)
    name = callee_name(call)
    if isinstance(call.func, ast.Name):
        return name in {"print", "str", "repr"}
    if name not in (*_SHOWING, *_WRITING):
        return False
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if owner is None or name in {"print", "str", "repr"}:
        return False
    if name == "format":
        return _is_text(owner)
    return name in _WRITING or _LOGGERS.search(_called(place.at(owner)).lower()) is not None


def _called(owner: Place) -> str:
    """Return the name of a method's owner: the full name of a package that a file has an alias for."""
    packages = [one.value.name for one in plain(owner) or () if isinstance(one.value, Imported)]
    return " ".join(packages) or written(owner.expression)


def _is_text(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
            return _is_text(left) or _is_text(right)
        case _:
            return False


def _items(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else _shown_of(node)
