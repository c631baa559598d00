"""Parameters whose parts are read, as of dicts and tuples: what is under one key is not under another."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import callers_of_built
from torchlint.model.values.value_sets import Display, Function, Value

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Caller
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class CallersOfBuilt:
    """Finds the callers of the modules whose `forward` a function is, by the names of the modules."""

    function: Function

    def __call__(self, ev: Evaluator) -> tuple[Caller, ...]:
        """Return the calls, in the order of files and lines."""
        return tuple(callers_of_built(ev, self.function))


def is_taken_apart(file: ParsedFile, function: Scope, name: str) -> bool:
    """Tell whether a function reads the parts of a parameter: `data["image"]`, `pair[1]`, `rows, lengths = pair`."""
    parts = (one for bindings in function.bindings.values() for one in bindings if one.kind == "assign")
    is_unpacked = any(one.selector and isinstance(one.value, ast.Name) and one.value.id == name for one in parts)
    return is_unpacked or any(_asks_by_key(node, name) for node, _ in file.operations_in_scope(function))


def _asks_by_key(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=asked), slice=ast.Constant(value=str() | int())):
            return asked == name
        case _:
            return False


def is_collection(value: Value) -> bool:
    """Tell whether something is a dict, tuple or list display."""
    return isinstance(value, Display) and isinstance(value.place.expression, (ast.Dict, ast.Tuple, ast.List))
