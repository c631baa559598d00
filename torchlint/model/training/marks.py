"""Tests that wait for a mark which their own block puts further off: `if elapsed // 300 >= saved: saved += 1`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.place import Place


def waits_for_mark(test: Place, left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool:
    """Tell whether a comparison holds once in many rounds, for what it opens puts its mark off by as many.

    Of what is counted in single rounds, `if i >= count: count += 1`, every round comes to the mark.
    """
    match op:
        case ast.Gt() | ast.GtE():
            reached, mark = left, right
        case ast.Lt() | ast.LtE():
            reached, mark = right, left
        case _:
            return False
    return _is_in_portions(reached) and _is_put_off(test.statement, written(mark))


def _is_in_portions(node: ast.expr) -> bool:
    """Tell whether something is counted in portions: `seconds // 300`."""
    match node:
        case ast.BinOp(op=ast.FloorDiv(), right=portion):
            return not (isinstance(portion, ast.Constant) and portion.value == 1)
        case _:
            return False


def _is_put_off(statement: ast.stmt, mark: str) -> bool:
    """Tell whether the block behind an `if` adds to a mark."""
    return isinstance(statement, ast.If) and any(_adds_to(one, mark) for one in statement.body)


def _adds_to(statement: ast.stmt, mark: str) -> bool:
    match statement:
        case ast.AugAssign(target=target, op=ast.Add()):
            return written(target) == mark
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add())):
            return written(target) == written(left) == mark
        case _:
            return False
