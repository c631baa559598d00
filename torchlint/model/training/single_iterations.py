"""What a loop runs in a single iteration: `for i, x in enumerate(loader): if i == 0: model.prepare(x)`.

So does a loop that is left at the end of its first iteration: `for x in loader: step(x); break`. If the program ends
there, `for x in loader: step(x); exit()`, the loops around do not repeat it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.syntax.dominating_conditions import Condition, conditions
from torchlint.syntax.exits import LoopNode, first_leaving, is_exit, jumps, loops_of
from torchlint.syntax.facts import atoms

if TYPE_CHECKING:
    from torchlint.syntax.index import Index


def is_of_single_iteration(place: Place, loop: LoopNode) -> bool:
    """Tell whether a place in a loop is only reached in the iteration with a certain number.

    A loop further out repeats that iteration.
    """
    index = place.file.index
    around = list(loops_of(index, place.statement))
    if any(_ends_program(index, one) for one in around[: around.index(loop) + 1]):
        return True
    if around[-1] is not loop:
        return False
    if isinstance(_end_of(index, loop), (ast.Break, ast.Return)):
        return True
    if (number := _counter_of(loop)) is None or _is_bound_inside(place, number, loop):
        return False
    return any(
        _is_equal(test, number)
        for condition in conditions(place.file.index, place.statement, loop)
        if isinstance(condition, Condition)
        for test, holds in atoms(condition.test, condition.holds)
        if holds
    )


def _ends_program(index: Index, loop: LoopNode) -> bool:
    """Tell whether a loop has one iteration, at whose end the program ends."""
    end = _end_of(index, loop)
    return end is not None and is_exit(end) and next(jumps(index, loop, ast.Break), None) is None


def _end_of(index: Index, loop: LoopNode) -> ast.stmt | None:
    """Return the statement that every iteration of a loop ends at, and after which there is no other one."""
    at = first_leaving(loop.body, index)
    return loop.body[at] if at is not None and next(jumps(index, loop, ast.Continue), None) is None else None


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
