"""Code that a test expects to raise, and functions that are only called where that is expected."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.values.value_sets import Function
from torchlint.steps import BudgetSpentError
from torchlint.syntax.exits import expects_to_raise, is_expectation
from torchlint.syntax.last_names import callee_name, last_name, without_call

if TYPE_CHECKING:
    from torchlint.model import SourceFile
    from torchlint.syntax.scope import Scope

Lines: TypeAlias = "tuple[int, int]"
"""The first and the last line of some code."""

# Of pytest and unittest: the test is expected to fail, and fails if it does not.
_EXPECTED_FAILURES = frozenset({"xfail", "expectedFailure"})


@dataclass(frozen=True)
class ExpectedErrors:
    """Where a file expects an exception, by its lines."""

    file: SourceFile

    def at(self, line: int) -> bool:
        """Tell whether an exception of a line is expected: there, or wherever the function around it is called.

        A function that other files call is not there for a test.
        """
        try:
            return self._expects_any and self._is_expected(line, frozenset())
        except BudgetSpentError:
            return False

    @cached_property
    def _expects_any(self) -> bool:
        return bool(self._lines) or any(_calls_what_raises(call) for call, _ in self.file.index.expressions(ast.Call))

    @cached_property
    def _lines(self) -> tuple[Lines, ...]:
        return tuple(_expected(self.file))

    def _is_expected(self, line: int, within: frozenset[int]) -> bool:
        if any(first <= line <= last for first, last in self._lines):
            return True
        scope = self._function_around(line)
        return scope is not None and self._is_only_called_as_expected(scope, within)

    def _is_only_called_as_expected(self, scope: Scope, within: frozenset[int]) -> bool:
        start, end = _lines_of(scope.node)
        if start in within:
            return False
        ev, function = self.file.evaluator(), Function(self.file, scope)
        calls = [caller.place for caller in (*ev.callers(function), *object_callers_of(ev, function))]
        others = [one for one in calls if one.file is not self.file or not start <= one.line <= end]
        return bool(others) and all(
            one.file is self.file
            and (_calls_what_raises(one.expression) or self._is_expected(one.line, within | {start}))
            for one in others
        )

    def _function_around(self, line: int) -> Scope | None:
        """Return the innermost function that a line is in."""
        found = None
        for scope in self.file.index.scopes:
            if scope.kind == "function":
                first, last = _lines_of(scope.node)
                found = scope if first <= line <= last else found
        return found


def _lines_of(node: ast.AST) -> Lines:
    assert isinstance(node, (ast.stmt, ast.expr))
    return node.lineno, node.end_lineno or node.lineno


def _expected(file: SourceFile) -> Iterator[Lines]:
    """Yield the lines of everything whose exception is expected."""
    blocks: list[ast.With | ast.AsyncWith] = [*file.index.statements(ast.With), *file.index.statements(ast.AsyncWith)]
    yield from (_from_to(one.body[0], one.body[-1]) for one in blocks if expects_to_raise(one))
    for attempt in file.index.statements(ast.Try):
        yield from _attempted(attempt)
    for scope in file.index.scopes:
        if any(map(_expects_failure, scope.decorators)):
            yield _lines_of(scope.node)
    for call, _ in file.index.expressions(ast.Call):
        if _calls_what_raises(call):
            yield from (_lines_of(one) for one in call.args if isinstance(one, ast.Lambda))


def _attempted(attempt: ast.Try) -> Iterator[Lines]:
    """Yield the lines of a `try` after which a test fails: at its end, or in its `else`."""
    if len(attempt.body) > 1 and _fails(attempt.body[-1]):
        yield _from_to(attempt.body[0], attempt.body[-2])
    elif attempt.orelse and _fails(attempt.orelse[-1]):
        yield _from_to(attempt.body[0], attempt.body[-1])


def _from_to(first: ast.stmt, last: ast.stmt) -> Lines:
    return first.lineno, last.end_lineno or last.lineno


def _fails(statement: ast.stmt) -> bool:
    """Tell whether a test that comes to a statement has failed: `pytest.fail()`, `assert False`."""
    match statement:
        case ast.Assert(test=ast.Constant(value=value)):
            return not value
        case ast.Raise(exc=ast.expr() as raised):
            return last_name(without_call(raised)) == "AssertionError"
        case ast.Expr(value=ast.Call() as call):
            return callee_name(call) == "fail"
        case _:
            return False


def _expects_failure(decorator: ast.expr) -> bool:
    """Tell whether a decorator expects a test to fail on every machine: `@pytest.mark.xfail(raises=RuntimeError)`."""
    if last_name(without_call(decorator)) not in _EXPECTED_FAILURES:
        return False
    return not isinstance(decorator, ast.Call) or not (
        decorator.args or any(one.arg == "condition" for one in decorator.keywords)
    )


def _calls_what_raises(node: ast.AST) -> bool:
    """Tell whether a call calls a function that it expects to raise: `pytest.raises(RuntimeError, run)`."""
    return isinstance(node, ast.Call) and len(node.args) > 1 and is_expectation(callee_name(node))
