"""Whether the calls of a function let a place in it run: `if mode == "cpu":` under calls that all pass `"gpu"`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.around import tests_behind
from torchlint.model.conditions import Condition
from torchlint.model.parameters import frame_for
from torchlint.model.place import Place
from torchlint.model.values import Function
from torchlint.model.walk import walk

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator

# Calls that are looked at; a function that more of them share is a library's, which all its tests let run.
_MOST_CALLS = 10


def lets_run(ev: Evaluator, place: Place, calls: Sequence[tuple[Function, Place]]) -> bool:
    """Tell whether one of a function's calls may lead to a place in it, by the tests that read its parameters."""
    tests = [test for test in tests_behind(place) if _reads_a_parameter(place, test.test)]
    if not tests or not calls or len(calls) > _MOST_CALLS:
        return True
    return any(_may_pass(ev, place, function, call, tests) for function, call in calls)


def _may_pass(ev: Evaluator, place: Place, function: Function, call: Place, tests: Sequence[Condition]) -> bool:
    frame = frame_for(call, function, most=1)
    if frame is None:
        return True
    outcomes = (ev.truth(Place(place.file, one.test, one.statement, frame)) is (not one.holds) for one in tests)
    return not any(outcomes)


def _reads_a_parameter(place: Place, test: ast.expr) -> bool:
    names = {parameter.name for parameter in place.scope.parameters}
    return any(isinstance(node, ast.Name) and node.id in names for node in walk(test))
