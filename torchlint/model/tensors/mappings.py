"""Parameters whose parts are read, as of dicts and tuples: what is under one key is not under another."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import callers_of_built
from torchlint.model.values.value_sets import Display, Function, Value
from torchlint.syntax.iterated import items_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Caller
    from torchlint.syntax.scope import Binding, Scope


@dataclass(frozen=True, slots=True)
class CallersOfBuilt:
    """Finds the callers of the modules whose `forward` a function is, by the names of the modules."""

    function: Function

    def __call__(self, ev: Evaluator) -> tuple[Caller, ...]:
        """Return the calls, in the order of files and lines."""
        return tuple(callers_of_built(ev, self.function))


def is_taken_apart(file: ParsedFile, function: Scope, name: str) -> bool:
    """Tell whether a function reads the parts of a parameter.

    `data["image"]`, `pair[1]`, `rows, lengths = pair`, `for row in rows`, `for i in range(2): rows[i]`.
    """
    parts = [one for bindings in function.bindings.values() for one in bindings]
    if any(_is_unpacked(one, name) or _is_iterated(one, name) for one in parts):
        return True
    keys = frozenset(one.name for one in parts if one.kind == "iterate")
    return any(_asks_by_key(node, name, keys) for node, _ in file.operations_in_scope(function))


def _is_unpacked(one: Binding, name: str) -> bool:
    return one.kind == "assign" and bool(one.selector) and isinstance(one.value, ast.Name) and one.value.id == name


def _is_iterated(one: Binding, name: str) -> bool:
    if one.kind != "iterate" or one.value is None:
        return False
    source, _ = items_of(one.value, one.selector)
    return isinstance(source, ast.Name) and source.id == name


def _asks_by_key(node: ast.expr, name: str, keys: frozenset[str]) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=asked), slice=ast.Constant(value=str() | int())):
            return asked == name
        case ast.Subscript(value=ast.Name(id=asked), slice=ast.Name(id=key)):
            return asked == name and key in keys
        case _:
            return False


def is_collection(value: Value) -> bool:
    """Tell whether something is a dict, tuple or list display."""
    return isinstance(value, Display) and isinstance(value.place.expression, (ast.Dict, ast.Tuple, ast.List))
