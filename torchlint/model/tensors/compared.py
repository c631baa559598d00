"""Names that a test compares as a whole: they are numbers or texts, and no batch.

Comparing tensors has one result per element, which `if` does not accept: what `if self.size != size:` compares is no
tensor with elements.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Scope

_WHOLE = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def is_compared_whole(file: ParsedFile, function: Scope, name: str) -> bool:
    """Tell whether a test in a function compares a parameter of it, and not its shape or items."""
    if len(function.bindings.get(name, ())) != 1:
        return False
    return any(
        isinstance(node, ast.Compare) and _compares(node, name) and _decides(file, node, statement)
        for node, statement in file.operations_in_scope(function)
    )


def _compares(node: ast.Compare, name: str) -> bool:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _WHOLE):
            sides = (left, right)
        case _:
            return False
    is_named = any(isinstance(side, ast.Name) and side.id == name for side in sides)
    # `if target != None:` only checks that there is one.
    return is_named and not any(isinstance(side, ast.Constant) and side.value is None for side in sides)


def _decides(file: ParsedFile, node: ast.expr, statement: ast.stmt) -> bool:
    """Tell whether a comparison is a test, or one of several that a test is made of."""
    parents = file.parents_in(statement)
    part: ast.AST = node
    while isinstance(whole := parents.get(part), (ast.BoolOp, ast.UnaryOp)):
        part = whole
    return getattr(whole if isinstance(whole, ast.IfExp) else statement, "test", None) is part
