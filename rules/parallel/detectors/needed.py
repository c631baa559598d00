"""How tests must come out for a call to lead to a place in the function that it calls.

`load(path, on_all_ranks)` comes to a barrier behind `if everywhere:` only where that holds, and `load(path)` not at all
where the parameter is False by default.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.facts import atoms, in_words

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Caller

Outcomes: TypeAlias = "Mapping[str, bool]"
"""Tests by their text, and how they come out."""


def needed_of_caller(ev: Evaluator, place: Place, needed: Outcomes, caller: Caller) -> Outcomes | None:
    """Return how tests of a caller come out where its call leads to a place, None where it never does.

    `needed` is what the place itself rests on, in the words of its function. Only flags are followed.
    """
    found: dict[str, bool] = {}
    for name, holds in _flags(place, needed).items():
        parameter = next((one for one in place.scope.parameters if one.name == name), None)
        if parameter is None or len(place.scope.bindings.get(name, ())) > 1:
            continue
        passed = caller.argument(parameter)
        if passed == () and parameter.default is not None and isinstance(place.scope.node, ast.stmt):
            passed = (Place(place.file, parameter.default, place.scope.node),)
        for argument in passed or ():
            if ev.truth(argument) is (not holds):
                return None
            found.update(in_words(*atom) for atom in atoms(argument.expression, holds))
    return found


def _flags(place: Place, needed: Outcomes) -> Outcomes:
    tests = (atom for condition in dominating_conditions(place) for atom in atoms(condition.test, condition.holds))
    flags = {test.id: holds for test, holds in tests if isinstance(test, ast.Name)}
    return {**needed, **flags}
