"""What is written in a file, as places: its calls, assignments, loops, functions and classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from torchlint.model.calls import Call, calls_of, method_calls_of
from torchlint.model.defined import DefinedClass, DefinedFunction
from torchlint.model.loop import Loop, loop_statements
from torchlint.model.parsedfile import ParsedFile
from torchlint.model.place import Place
from torchlint.model.stored import Assignment, assignments_of
from torchlint.model.syntax.around import class_around, function_around, loops_around
from torchlint.model.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile


class WrittenFile(ParsedFile):
    """A file whose parts can be asked for."""

    @property
    def _file(self) -> SourceFile:
        # There is no other kind of written file; this one only keeps the questions about form together.
        return cast("SourceFile", self)

    def calls(self, *names: str) -> Iterator[Call]:
        """Yield the calls of these functions or classes outside the project, by full name, in source order."""
        return calls_of(self._file, frozenset(names))

    def method_calls(self, *words: str) -> Iterator[Call]:
        """Yield the calls whose callee is written with one of these last names, in source order."""
        return method_calls_of(self._file, frozenset(words))

    def all_calls(self) -> Iterator[Call]:
        """Yield every call, in no order that matters."""
        for call, statement in self.index.expressions(ast.Call):
            yield Call(self._file, call, statement)

    def attributes(self, *words: str) -> Iterator[Place]:
        """Yield where attributes of these names are read, calls of methods included, in source order."""
        found = [pair for word in words for pair in self.attribute_reads(word)]
        for node, statement in sorted(found, key=lambda pair: (pair[0].lineno, pair[0].end_col_offset or 0)):
            yield Place(self._file, node, statement)

    def operations(self) -> Iterator[tuple[Place, Place, Place]]:
        """Yield every arithmetic operation with its two operands."""
        for node, statement in self.index.expressions(ast.BinOp):
            place = Place(self._file, node, statement)
            yield place, place.at(node.left), place.at(node.right)

    def assignments(self) -> Iterator[Assignment]:
        """Yield the assignments to names, attributes and items, in source order."""
        return assignments_of(self._file)

    def classes(self) -> Iterator[DefinedClass]:
        """Yield the classes, in source order."""
        return (DefinedClass(self._file, scope) for scope in self.index.scopes if scope.kind == "class")

    def functions(self) -> Iterator[DefinedFunction]:
        """Yield the functions and methods, in source order."""
        return (DefinedFunction(self._file, scope) for scope in self.index.scopes if scope.kind == "function")

    def loops(self) -> Iterator[Loop]:
        """Yield the loops, in source order."""
        return (Loop(self._file, node) for node in loop_statements(self._file))

    def loops_around(self, place: Place) -> tuple[Loop, ...]:
        """Return the loops of the same function around a place, innermost first."""
        return tuple(Loop(self._file, node) for node in loops_around(place))

    def function_around(self, place: Place) -> DefinedFunction | None:
        """Return the function that a place is in."""
        scope = function_around(place)
        return DefinedFunction(self._file, scope) if scope is not None else None

    def class_around(self, place: Place) -> DefinedClass | None:
        """Return the class that a place is in."""
        scope = class_around(place)
        return DefinedClass(self._file, scope) if scope is not None else None

    def call_at(self, place: Place) -> Call | None:
        """Return a place as the call that it is, None where it is none."""
        is_call = isinstance(place.expression, ast.Call)
        return Call(place.file, place.expression, place.statement, place.frame, place.given) if is_call else None

    def place(self, expression: ast.expr, statement: ast.stmt) -> Place:
        """Return an expression as a place."""
        return Place(self._file, expression, statement)

    def header(self, loop: ast.For | ast.AsyncFor | ast.While) -> Place:
        """Return the place that stands for a loop: what it iterates over, or its test."""
        return Place(self._file, loop.test if isinstance(loop, ast.While) else loop.iter, loop)

    def name_of(self, scope: Scope) -> Place:
        """Return the place that stands for a function: its name."""
        assert isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef))
        node = scope.node
        start = node.col_offset + len("async def " if isinstance(node, ast.AsyncFunctionDef) else "def ")
        end = start + len(node.name.encode())
        name = ast.Name(
            node.name, ast.Load(), lineno=node.lineno, col_offset=start, end_lineno=node.lineno, end_col_offset=end
        )
        return Place(self._file, name, node)
