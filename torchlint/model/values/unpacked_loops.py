"""What a loop binds one name of a tuple to if tests check another: `for name, ok in (("cuda", …), …): if ok:`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Display, Possibility, ValueSet
from torchlint.syntax.arguments import has_star
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.facts import atoms

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Binding


def elements_for_tests(ev: Evaluator, place: Place, binding: Binding, elements: ValueSet) -> ValueSet:
    """Return the elements that a place may come from: those for which the tests of the names bound with it hold."""
    match binding.statement:
        case ast.For(target=ast.Tuple(elts=targets)) as loop if len(elements) > 1 and not has_star(targets):
            asked = list(_asked(place, loop, targets))
        case _:
            return elements
    left = tuple(one for one in elements if not any(_is_ruled_out(ev, one, len(targets), *test) for test in asked))
    return left or elements


def _asked(place: Place, loop: ast.For, targets: list[ast.expr]) -> Iterator[tuple[int, bool]]:
    """Yield the positions of the targets that tests on the path to a place check, and their outcomes."""
    positions = {target.id: position for position, target in enumerate(targets) if isinstance(target, ast.Name)}
    inside = range(loop.lineno + 1, (loop.end_lineno or 0) + 1)
    for condition in dominating_conditions(place):
        for test, holds in atoms(condition.test, condition.holds) if condition.statement.lineno in inside else ():
            name = test.id if isinstance(test, ast.Name) else ""
            bound = place.scope.bindings.get(name, ()) if name in positions else ()
            if bound and not any(one.statement.lineno in inside for one in bound):
                yield positions[name], holds


def _is_ruled_out(ev: Evaluator, element: Possibility, count: int, position: int, holds: bool) -> bool:
    match element.value:
        case Display(place=written):
            parts = getattr(written.expression, "elts", [])
            is_alike = len(parts) == count and not has_star(parts)
            return is_alike and ev.truth(written.at(parts[position])) is (not holds)
        case _:
            return False
