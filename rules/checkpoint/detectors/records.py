"""Tests that find a new record: a score is compared with the best so far, which it then replaces."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.syntax.dominating_conditions import Condition, conditions
from torchlint.syntax.overwriting import stores_into
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.place import Place
    from torchlint.syntax.exits import LoopNode

_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_of_record(place: Place, loop: LoopNode) -> bool:
    """Tell whether a place runs for a new record only: `if score > best: best = score`, or `if is_best:`."""
    around = conditions(place.file.index, place.statement, loop)
    return any(_finds_record(place, one.test) for one in around if isinstance(one, Condition))


def _finds_record(place: Place, test: ast.expr) -> bool:
    compared = (node for node in walk(_written_out(place, test)) if isinstance(node, ast.Compare))
    return any(_is_record(place, one) for one in compared)


def _written_out(place: Place, test: ast.expr) -> ast.expr:
    """Return the comparison that a name holds, if that is all it is bound to: `is_best = score > best`."""
    if not isinstance(test, ast.Name):
        return test
    values = [one.value for one in place.scope.bindings.get(test.id, ()) if one.value is not None]
    return values[0] if len(values) == 1 else test


def _is_record(place: Place, test: ast.Compare) -> bool:
    """Tell whether one side of a comparison is replaced by the other: `best = score`, `best = max(best, score)`."""
    if len(test.ops) != 1 or not isinstance(test.ops[0], _ORDERS):
        return False
    sides = (test.left, test.comparators[0])
    texts = {written(side) for side in sides}
    return any(_takes(value, texts) for side in sides for value in _values_of(place, side))


def _values_of(place: Place, variable: ast.expr) -> list[ast.expr]:
    match variable:
        case ast.Name(id=name):
            return [one.value for one in place.scope.bindings.get(name, ()) if one.value is not None]
        case ast.Attribute():
            return [one.value for one in stores_into(place.at(variable)) if one.value is not None]
        case _:
            return []


def _takes(value: ast.expr, texts: set[str]) -> bool:
    match value:
        case ast.Call(func=ast.Name(id="max" | "min"), args=[first, second]):
            return {written(first), written(second)} == texts
        case _:
            return written(value) in texts
