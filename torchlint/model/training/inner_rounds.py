"""Tests that let a round of a loop inside the step through: `for k in range(len(batch)): if k == 0: …`.

Such a loop starts anew with every step, so that its first round and its last come with every step as well.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.syntax.exits import loops_of
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.place import Place


def comes_with_each_run(test: Place, holds: bool, until: ast.stmt | None) -> bool:
    """Tell whether a test lets something through with each run of a loop that lies inside the loop `until`.

    Without that, the loop lies inside the function that runs with every step.
    """
    match test.expression:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return comes_with_each_run(test.at(operand), not holds, until)
        case ast.BinOp(left=ast.Name(id=name), op=ast.Mod()):
            return not holds and _loop_counting(test, name, until) is not None
        case ast.Name(id=name):
            return not holds and _loop_counting(test, name, until) is not None
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _is_met(test, left, op, right, holds, until)
        case _:
            return False


def _is_met(test: Place, left: ast.expr, op: ast.cmpop, right: ast.expr, holds: bool, until: ast.stmt | None) -> bool:
    """Tell whether a comparison holds in the first round, or in the last: `k == 0`, `k % 4 == 0`, `k == n - 1`."""
    counted = left.left if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) else left
    is_equal = isinstance(op, ast.Eq) if holds else isinstance(op, ast.NotEq)
    is_below = isinstance(op, (ast.Lt, ast.LtE)) if holds else isinstance(op, (ast.Gt, ast.GtE))
    if not isinstance(counted, ast.Name) or not (is_equal or is_below):
        return False
    if (stop := _loop_counting(test, counted.id, until)) is None:
        return False
    match right:
        case ast.Constant(value=int() as number):
            return number == 0 if is_equal else number > 0
        case ast.BinOp(left=last, op=ast.Sub(), right=ast.Constant(value=1)) if counted is left and is_equal:
            return stop == written(last)
        case _:
            return False


def _loop_counting(test: Place, name: str, until: ast.stmt | None) -> str | None:
    """Return how far the loop around a test counts that starts anew with every step, from nought; None for any other.

    A name that the loop's body binds as well may hold anything.
    """
    for loop in loops_of(test.file.index, test.statement):
        if loop is until:
            return None
        if isinstance(loop, ast.For) and (stop := _stop(loop, name)) is not None:
            inside = (
                one for one in test.scope.bindings.get(name, ()) if test.file.index.is_in_body(one.statement, loop)
            )
            return stop if all(one.statement is loop for one in inside) else None
    return None


def _stop(loop: ast.For, name: str) -> str | None:
    """Return how far a loop counts a name up from nought: `n` of `range(n)`, `len(xs)` of `enumerate(xs)`."""
    match loop.target, loop.iter:
        case ast.Name(id=found), ast.Call(func=ast.Name(id="range"), args=[stop]) if found == name:
            return written(stop)
        case (
            ast.Tuple(elts=[ast.Name(id=found), _]),
            ast.Call(func=ast.Name(id="enumerate"), args=[counted], keywords=[]),
        ) if found == name:
            return f"len({written(counted)})"
        case _:
            return None
