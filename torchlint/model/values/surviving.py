"""What a definition may still mean, past tests that would have had its name bound anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.guards.narrowing import outcome_if
from torchlint.model.place import Place
from torchlint.model.syntax.conditions import Condition
from torchlint.model.syntax.exits import jumps
from torchlint.model.syntax.scope import Binding
from torchlint.model.values.possible import Imported, Possible, Unknown

if TYPE_CHECKING:
    from torchlint.model.values.evaluator import Evaluator


def survivors(ev: Evaluator, place: Place, definition: Binding, possible: Possible) -> Possible:
    """Return what a definition may still mean at a place, past the tests that would have bound the name anew.

    After `if hasattr(model, "module"): model = model.module` whatever the model was before had nothing inside.
    """
    if all(isinstance(one.value, (Unknown, Imported)) for one in possible):
        return possible
    for condition in _survived(place, definition):
        test = Place(place.file, condition.test, condition.statement, place.frame, place.given)
        possible = tuple(
            one for one in possible if outcome_if(ev, test, definition.name, one) is not (not condition.holds)
        )
    return possible


def _survived(place: Place, definition: Binding) -> Iterator[Condition]:
    """Yield the tests about a name that came out so that its definition still held behind them."""
    index = place.file.index
    bound = {binding.statement for binding in place.scope.bindings.get(definition.name, ())}
    for block, position in index.blocks_around(place.statement):
        for elder in block.body[:position]:
            if not isinstance(elder, (ast.If, ast.While)) or definition.statement.lineno > (elder.end_lineno or 0):
                continue
            if definition.name not in place.file.texts_in(elder.test):
                continue
            if isinstance(elder, ast.While):
                if next(jumps(index, elder, ast.Break), None) is None:
                    yield Condition(elder.test, False, elder)
            elif definition.statement.lineno < elder.lineno:
                if not bound.isdisjoint(elder.body):
                    yield Condition(elder.test, False, elder)
                elif not bound.isdisjoint(elder.orelse):
                    yield Condition(elder.test, True, elder)
