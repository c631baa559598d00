"""Tests of tensors: `if loss > best`, `while err.max() > tol`, `assert x.all()`, `a and b`, `if` of a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.place import Place

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

_Comprehension: TypeAlias = "ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp"
_COMPREHENSIONS: tuple[type[_Comprehension], ...] = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TESTING = (ast.If, ast.While, ast.Assert)


def _tests(file: ParsedFile) -> Iterator[tuple[ast.expr, ast.stmt]]:
    yield from ((statement.test, statement) for statement in file.index.statements(ast.If))
    yield from ((statement.test, statement) for statement in file.index.statements(ast.While))
    yield from ((statement.test, statement) for statement in file.index.statements(ast.Assert))


def asked(file: ParsedFile) -> Iterator[Place]:
    """Yield the expressions of a file whose truth Python evaluates, the parts of `and`, `or` and `not` singly."""
    for test, statement in (*_tests(file), *_filters(file)):
        for part in _parts(test):
            yield Place(file, part, statement)
    for choice, statement in file.index.expressions(ast.IfExp):
        for part in _parts(choice.test):
            yield Place(file, part, statement)
    for operation, statement in file.index.expressions(ast.BoolOp):
        if not _is_within_test(file, operation, statement):
            for value in operation.values[:-1]:
                for part in _parts(value):
                    yield Place(file, part, statement)


def _filters(file: ParsedFile) -> Iterator[tuple[ast.expr, ast.stmt]]:
    """Yield the conditions of comprehensions."""
    for kind in _COMPREHENSIONS:
        for node, statement in file.index.expressions(kind):
            yield from ((test, statement) for generator in node.generators for test in generator.ifs)


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _parts(operand)
        case ast.BoolOp(values=values):
            for value in values:
                yield from _parts(value)
        case ast.NamedExpr(value=value):
            yield from _parts(value)
        case _:
            yield test


def _is_within_test(file: ParsedFile, operation: ast.BoolOp, statement: ast.stmt) -> bool:
    """Tell whether an `and` or `or` is part of a test that is evaluated anyway."""
    parents = file.parents_in(statement)
    child: ast.AST = operation
    while (parent := parents.get(child)) is not None:
        if isinstance(parent, _TESTING) or (isinstance(parent, ast.IfExp) and parent.test is child):
            return True
        if not isinstance(parent, (ast.BoolOp, ast.UnaryOp)):
            return False
        child = parent
    return False
