"""What a loop runs in a single iteration: `for i, x in enumerate(loader): if i == 0: model.prepare(x)`."""

from __future__ import annotations

import ast

from torchlint.model.place import Place
from torchlint.syntax.dominating_conditions import Condition, conditions
from torchlint.syntax.exits import LoopNode, loops_of
from torchlint.syntax.facts import atoms


def is_of_single_iteration(place: Place, loop: LoopNode) -> bool:
    """Tell whether a place in a loop is only reached in the iteration with a certain number.

    A loop further out repeats that iteration.
    """
    number = _counter_of(loop)
    is_outermost = list(loops_of(place.file.index, place.statement))[-1] is loop
    if number is None or not is_outermost or _is_bound_inside(place, number, loop):
        return False
    return any(
        _is_equal(test, number)
        for condition in conditions(place.file.index, place.statement, loop)
        if isinstance(condition, Condition)
        for test, holds in atoms(condition.test, condition.holds)
        if holds
    )


def _counter_of(loop: LoopNode) -> str | None:
    """Return the name with which `enumerate` or `range` counts the iterations of a loop."""
    match loop:
        case (
            ast.For(target=ast.Tuple(elts=[ast.Name(id=name), *_]), iter=ast.Call(func=ast.Name(id="enumerate")))
            | ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range")))
        ):
            return name
        case _:
            return None


def _is_bound_inside(place: Place, name: str, loop: LoopNode) -> bool:
    """Tell whether a name is bound again in the body of a loop."""
    bindings = place.scope.bindings.get(name, ())
    return any(place.file.index.is_in_body(binding.statement, loop) for binding in bindings)


def _is_equal(test: ast.expr, name: str) -> bool:
    match test:
        case ast.Compare(left=ast.Name(id=left), ops=[ast.Eq()], comparators=[ast.Constant()]):
            return left == name
        case _:
            return False
