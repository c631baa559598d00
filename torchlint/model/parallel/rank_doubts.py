"""What may exclude ranks from a place: a doubt is enough.

Tests that mention a rank or may depend on one, here or in every caller, and decorators that run the decorated function
under such a test.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.leading import leading_to
from torchlint.model.parallel.texts_of_tests import texts_of
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.around import dominating_conditions

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_DECORATORS = re.compile(
    r"rank_?(zero|0)|main_process|master_only|only_main|only_master|on_main|on_master|primary_only"
)
# What may be a test of the rank, or depend on one, without certainty.
_MAYBE = re.compile(
    r"rank|master|main|primary|leader|chief|coordinator|proc|zero|first|gpu|root|head|node|device|world|writ|logger|"
    r"should_|can_|is_save|worker|local",
    re.IGNORECASE,
)


@tabled(False)
def may_depend_on_rank(ev: Evaluator, place: Place) -> bool:
    """Tell whether something on the path to a place, in its function or in every caller, may exclude ranks."""
    if may_be_kept(ev, place):
        return True
    leading = leading_to(ev, place)
    return bool(leading) and all(may_depend_on_rank(ev, one) for one in leading)


def may_be_kept(ev: Evaluator, place: Place) -> bool:
    """Tell whether something on the path to a place, in its function, may exclude ranks."""
    return _is_tested(ev, place) or _is_decorated(ev, place)


def _is_tested(ev: Evaluator, place: Place) -> bool:
    for condition in dominating_conditions(place):
        test = Place(place.file, condition.test, condition.statement)
        # A failed `assert` ends a rank and excludes none: its text may show which ranks reach it.
        texts = [test.code] if isinstance(condition.statement, ast.Assert) else texts_of(ev, test)
        if "__name__" not in test.code and any(_MAYBE.search(text) for text in texts):
            return True
    return False


def _is_decorated(ev: Evaluator, place: Place) -> bool:
    node = place.scope.node
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    decorators = (Place(place.file, one, node) for one in node.decorator_list)
    return any(_DECORATORS.search(one.code) or _calls_under_test(ev, one) for one in decorators)


def _calls_under_test(ev: Evaluator, decorator: Place) -> bool:
    """Tell whether a decorator of the project calls the decorated function only under a test: `if rank == 0:`."""
    calls = [call for one in ev.evaluate(decorator) if isinstance(one.value, Function) for call in _calls(one.value)]
    return bool(calls) and all(_is_tested(ev, one) for one in calls)


def _calls(decorator: Function) -> Iterator[Place]:
    """Yield the calls of a decorator's argument in the function that replaces it."""
    if not (parameters := decorator.scope.parameters):
        return
    for call, statement in decorator.file.index.calls(parameters[0].name):
        place = Place(decorator.file, call, statement)
        if isinstance(call.func, ast.Name) and place.scope.outer is decorator.scope:
            yield place
