"""Parameters that are asked by text for what they hold, as dicts are: what is under one key is not under another."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.linking.callers import callers_of_built
from torchlint.model.values.possible import Display, Function, Value

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Caller
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class CallersOfBuilt:
    """Asks who calls the modules whose `forward` a function is, by the names that they are given."""

    function: Function

    def __call__(self, ev: Evaluator) -> tuple[Caller, ...]:
        """Return the calls, in the order of files and lines."""
        return tuple(callers_of_built(ev, self.function))


def is_asked_by_text(file: ParsedFile, function: Scope, name: str) -> bool:
    """Tell whether a function takes what is under some text out of a parameter: `data["image"]`."""
    return any(_asks_by_text(node, name) for node, _ in file.operations_in_scope(function))


def _asks_by_text(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=asked), slice=ast.Constant(value=str())):
            return asked == name
        case _:
            return False


def is_dict(value: Value) -> bool:
    """Tell whether something is a dict that is written in the source."""
    return isinstance(value, Display) and isinstance(value.place.expression, ast.Dict)
