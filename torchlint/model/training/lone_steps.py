"""Functions that make one training step and that nothing in view calls: whatever calls them repeats the step.

`def update(self, batch)` of an agent, in a library or behind a configuration file, is called in a loop of other code.
In a script, or in a class whose objects are made in view, a function without callers is dead code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import calls_anywhere
from torchlint.model.headers import name_of
from torchlint.model.test_files import is_of_tests
from torchlint.model.training.outer_calls import Chain, calls_of
from torchlint.model.training.trials import builds_what_it_trains
from torchlint.model.values.value_sets import Class, Function

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator

_BACKWARD = re.compile(r"\bbackward\(")
_UNCALLED_NAME = re.compile(r"_.*|main|test(_.*)?|.*_test")


def lone_steps(ev: Evaluator, chains: Iterable[Chain]) -> Iterator[tuple[Function, Step]]:
    """Yield the functions at the start of call paths to updates that run once for each of their calls."""
    for chain in chains:
        place = chain[0]
        if place.scope.kind == "function" and _is_lone(ev, chain):
            words = f"`{place.scope.qualified_name}` makes one training step"
            yield Function(place.file, place.scope), name_of(place.file, place.scope).step(words, is_assumed=True)


def _is_lone(ev: Evaluator, chain: Chain) -> bool:
    """Tell whether a function gets what it trains, computes gradients for it, and has no callers."""
    place = chain[0]
    function = Function(place.file, place.scope)
    if is_of_tests(place.file) or _is_of_program(ev, function):
        return False
    computes = any(_BACKWARD.search(one.file.code_of(one.scope.node)) for one in chain)
    return computes and not calls_of(ev, function) and not builds_what_it_trains(ev, None, chain)


def _is_of_program(ev: Evaluator, function: Function) -> bool:
    """Tell whether a function runs once, or whether all of its calls are in view, as those of a private one are."""
    scope = function.scope
    if _UNCALLED_NAME.fullmatch(scope.name):
        return True
    if not scope.is_method or scope.outer is None:
        return "__main__" in function.file.code
    own = Class(function.file, scope.outer)
    return any(any(calls_anywhere(ev.project, kind.scope.name)) for kind in (own, *ev.subclasses(own)))
