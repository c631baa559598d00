"""Tests that wait for a mark which their own block puts further off: `if step >= mark: mark += 100`.

The block may as well let the counting start anew: `if step - since >= 100: since = step`.
"""

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
    block = test.statement.body if isinstance(test.statement, ast.If) else []
    return any(_puts_off(one, reached, mark) or _starts_anew(one, reached, mark) for one in block)


def _puts_off(statement: ast.stmt, reached: ast.expr, mark: ast.expr) -> bool:
    """Tell whether a statement puts a mark further off than the next round: `mark += 100`, `mark = step + 100`."""
    match statement:
        case ast.AugAssign(target=target, op=ast.Mult()):
            return written(target) == written(mark)
        case (
            ast.AugAssign(target=target as left, op=ast.Add(), value=portion)
            | ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=portion))
        ) if written(target) == written(mark):
            if written(left) == written(mark):
                return _is_in_portions(reached) or _is_several(portion)
            return written(left) == written(reached) and _is_several(portion)
        case _:
            return False


def _starts_anew(statement: ast.stmt, reached: ast.expr, mark: ast.expr) -> bool:
    """Tell whether a statement has what is reached start from nothing: `since = step`, `window.clear()`."""
    match reached, statement:
        case ast.BinOp(left=now, op=ast.Sub(), right=since), ast.Assign(targets=[target], value=value):
            return written(target) == written(since) and written(value) == written(now) and _is_several(mark)
        case (
            ast.Call(func=ast.Name(id="len"), args=[window]),
            ast.Expr(value=ast.Call(func=ast.Attribute(value=cleared, attr="clear")))
            | ast.Assign(targets=[cleared], value=ast.List(elts=[])),
        ):
            return written(cleared) == written(window) and _is_several(mark)
        case _:
            return False


def _is_in_portions(node: ast.expr) -> bool:
    """Tell whether something is counted in portions: `seconds // 300`."""
    match node:
        case ast.BinOp(op=ast.FloorDiv(), right=portion):
            return not (isinstance(portion, ast.Constant) and portion.value == 1)
        case _:
            return False


def _is_several(node: ast.expr) -> bool:
    """Tell whether a portion is of more rounds than one: a number, or what has a name."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value > 1
        case _:
            return isinstance(node, (ast.Name, ast.Attribute))
