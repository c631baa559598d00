"""Attributes that are only tested, `if self.use_weight:`: whatever their value, it is not moved."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile


def is_flag(file: ParsedFile, attribute: str) -> bool:
    """Tell whether a file reads an attribute, and only as a test."""
    reads = file.attribute_reads(attribute)
    return bool(reads) and all(_is_test(file, node, statement) for node, statement in reads)


def _is_test(file: ParsedFile, node: ast.expr, statement: ast.stmt) -> bool:
    parents = file.parents_in(statement)
    test: ast.AST = node
    while isinstance(parent := parents.get(test), (ast.BoolOp, ast.UnaryOp)):
        test = parent
    if isinstance(parent, ast.IfExp):
        return test is parent.test
    if isinstance(parent, ast.Compare):
        return True
    return isinstance(statement, (ast.If, ast.While, ast.Assert)) and test is statement.test
