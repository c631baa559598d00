"""Iterations that are few by the code: a transfer for each of them does not matter."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Display, Literal
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# A batch of inputs and targets, the corners of a box: as many transfers as there are tensors.
_A_HANDFUL = 4
# The classes that a demonstration prints: some tens of microseconds.
_A_FEW_TURNS = 16


def are_few(ev: Evaluator, place: Place, source: Place) -> bool:
    """Tell whether a loop has few iterations by its code: by `range(5)`, or by names for all that it makes."""
    match place.statement:
        case ast.Assign(targets=[ast.Tuple() | ast.List()], value=ast.ListComp() | ast.GeneratorExp() as whole):
            if any(part.iter is source.expression for part in whole.generators):
                return True
    if not runs_over_range(source):
        return False
    assert isinstance(source.expression, ast.Call)
    ends = source.expression.args[:2][-1:]
    turns = [one.value for end in ends for one in ev.evaluate(source.at(end))]
    return bool(turns) and all(
        isinstance(one, Literal) and isinstance(one.value, int) and one.value <= _A_FEW_TURNS for one in turns
    )


def runs_over_range(source: Place) -> bool:
    """Tell whether the items of an iteration are the numbers of a `range`."""
    return isinstance(source.expression, ast.Call) and callee_name(source.expression) == "range"


def is_of_dict(source: Place) -> bool:
    """Tell whether the values of a dict are iterated over: each is another thing, and of another shape."""
    match source.expression:
        case ast.Call(func=ast.Attribute(attr="items" | "values"), args=[]):
            return True
        case _:
            return False


def is_handful(ev: Evaluator, source: Place) -> bool:
    """Tell whether so few items are iterated over that it does not matter."""
    for one in ev.evaluate(source):
        if isinstance(one.value, Display):
            items = getattr(one.value.place.expression, "elts", None)
            if items is not None and len(items) <= _A_HANDFUL:
                return True
    return False
