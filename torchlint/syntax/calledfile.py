"""A file with its index, and its calls: by name, by owner, by scope, and by their arguments."""

from __future__ import annotations

import ast
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from torchlint.source import Source
from torchlint.syntax.index import build_index, source_order
from torchlint.syntax.last_names import called_as, last_name
from torchlint.syntax.scope import Scope
from torchlint.syntax.textfile import TextFile
from torchlint.syntax.walk import is_written


class CalledFile(TextFile):
    """A file whose calls are looked up."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        super().__init__(source, tree)
        self.index = build_index(tree)
        """Where everything is in the file."""

    @cached_property
    def _mentions(self) -> dict[str, list[tuple[ast.Call, ast.expr, ast.stmt]]]:
        found: dict[str, list[tuple[ast.Call, ast.expr, ast.stmt]]] = defaultdict(list)
        for call, statement in self.index.expressions(ast.Call):
            for argument in (*call.args, *(word.value for word in call.keywords)):
                match argument:
                    case ast.Name(id=name) | ast.Attribute(attr=name):
                        found[name].append((call, argument, statement))
        return found

    def mentions(self, name: str) -> list[tuple[ast.Call, ast.expr, ast.stmt]]:
        """Return the calls with something called `name` as argument, with the argument."""
        return self._mentions.get(name, [])

    @cached_property
    def _calls_by_scope(self) -> dict[Scope, list[tuple[ast.Call, ast.stmt]]]:
        found = defaultdict(list)
        for pair in self.index.expressions(ast.Call):
            found[self.index.home[pair[1]][0].scope].append(pair)
        for calls in found.values():
            calls.sort(key=lambda pair: (pair[0].lineno, pair[0].col_offset))
        return found

    def calls_in_scope(self, scope: Scope) -> list[tuple[ast.Call, ast.stmt]]:
        """Return the calls that a function or file makes itself, in source order."""
        return self._calls_by_scope.get(scope, [])

    def calls_within(self, statement: ast.stmt) -> list[tuple[ast.Call, ast.stmt]]:
        """Return the calls on the lines of a statement that its function or file makes itself, in source order."""
        calls = self.calls_in_scope(self.index.home[statement][0].scope)
        return on_lines(calls, statement.lineno, statement.end_lineno or statement.lineno)

    @cached_property
    def _calls_by_name(self) -> dict[tuple[Scope, str], list[tuple[ast.Call, ast.stmt]]]:
        found = defaultdict(list)
        for scope, calls in self._calls_by_scope.items():
            for call, statement in calls:
                found[scope, called_as(call)].append((call, statement))
        return found

    def calls_of(self, scope: Scope, name: str) -> list[tuple[ast.Call, ast.stmt]]:
        """Return the calls of a function or file whose callee is written `name` or `….name`, in source order."""
        return self._calls_by_name.get((scope, name), [])

    @cached_property
    def _calls_by_owner(self) -> dict[str, list[tuple[ast.Call, ast.stmt]]]:
        found = defaultdict(list)
        for call, statement in self.index.expressions(ast.Call):
            if isinstance(call.func, ast.Attribute):
                found[last_name(call.func.value)].append((call, statement))
        for calls in found.values():
            calls.sort(key=source_order)
        return found

    def calls_on(self, owner: str) -> list[tuple[ast.Call, ast.stmt]]:
        """Return the method calls whose owner has a last name, in source order; other owners are under `""`."""
        return self._calls_by_owner.get(owner, [])

    @cached_property
    def _method_calls(self) -> dict[tuple[str, str], list[tuple[ast.Call, ast.stmt]]]:
        found = defaultdict(list)
        for owner, calls in self._calls_by_owner.items():
            for call, statement in calls:
                found[owner, last_name(call.func)].append((call, statement))
        return found

    def method_calls_on(self, owner: str, method: str) -> Iterator[tuple[ast.Call, ast.stmt]]:
        """Yield the calls of a method of a name or attribute, or of an item of one, by its text, in source order."""
        last = owner.rpartition(".")[2]
        for call, statement in self._method_calls.get((last if last.isidentifier() else "", method), ()):
            if isinstance(call.func, ast.Attribute) and is_written(call.func.value, owner):
                yield call, statement

    def is_called_on(self, owners: Iterable[str], methods: Collection[str]) -> bool:
        """Tell whether one of some methods is called on one of some names or attributes."""
        return any(True for one in owners for method in methods for _ in self.method_calls_on(one, method))

    @cached_property
    def _calls_naming(self) -> dict[tuple[str, str], list[tuple[ast.Call, ast.stmt]]]:
        found = defaultdict(list)
        for call, statement in sorted(self.index.expressions(ast.Call), key=source_order):
            match call.args:
                case [ast.Constant(value=str(name)), *_]:
                    found[called_as(call), name].append((call, statement))
        return found

    def calls_naming(self, function: str, name: str) -> list[tuple[ast.Call, ast.stmt]]:
        """Return the calls of a last name whose first argument is a string: `….register_buffer("mean", mean)`."""
        return self._calls_naming.get((function, name), [])

    @cached_property
    def _operations_by_scope(self) -> dict[Scope, list[tuple[ast.expr, ast.stmt]]]:
        found: dict[Scope, list[tuple[ast.expr, ast.stmt]]] = defaultdict(list)
        for kind in (ast.Call, ast.BinOp, ast.Compare, ast.Subscript):
            for pair in self.index.expressions(kind):
                found[self.index.home[pair[1]][0].scope].append(pair)
        for operations in found.values():
            operations.sort(key=source_order)
        return found

    def operations_in_scope(self, scope: Scope) -> list[tuple[ast.expr, ast.stmt]]:
        """Return the calls, operators, comparisons and subscripts of a function or file, inner ones first."""
        return self._operations_by_scope.get(scope, [])


def on_lines(
    calls: list[tuple[ast.Call, ast.stmt]], first: int, last: int = sys.maxsize
) -> list[tuple[ast.Call, ast.stmt]]:
    """Return those of some calls, in source order, that start on some lines, both included."""
    start = bisect_left(calls, first, key=_line)
    return calls[start : bisect_right(calls, last, start, key=_line)]


def _line(pair: tuple[ast.Call, ast.stmt]) -> int:
    return pair[0].lineno
