"""What is written in a file, as places: its calls, assignments, loops, functions and classes."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from torchlint.model.calls import Call, call_at, calls_of, method_calls_of
from torchlint.model.defined import DefinedClass, DefinedFunction
from torchlint.model.headers import header, name_of
from torchlint.model.interface import ParsedFile
from torchlint.model.loop import Loop, loop_statements
from torchlint.model.place import Place
from torchlint.model.stored import Assignment, assignments_of
from torchlint.syntax.around import class_around, function_around, loops_around
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import written


class WrittenFile(ParsedFile):
    """A file whose parts can be queried."""

    def calls(self, *names: str) -> Iterator[Call]:
        """Yield the calls of these functions or classes outside the project, by full name, in source order."""
        return calls_of(self, frozenset(names))

    def method_calls(self, *words: str) -> Iterator[Call]:
        """Yield the calls whose callee has one of these last names, in source order."""
        return method_calls_of(self, frozenset(words))

    def all_calls(self) -> Iterator[Call]:
        """Yield every call, in no order that matters."""
        for call, statement in self.index.expressions(ast.Call):
            yield Call(self, call, statement)

    def attributes(self, *words: str) -> Iterator[Place]:
        """Yield where attributes of these names are read, calls of methods included, in source order."""
        found = [pair for word in words for pair in self.attribute_reads(word)]
        for node, statement in sorted(found, key=lambda pair: (pair[0].lineno, pair[0].end_col_offset or 0)):
            yield Place(self, node, statement)

    def operations(self) -> Iterator[tuple[Place, Place, Place]]:
        """Yield every arithmetic operation with its two operands."""
        for node, statement in self.index.expressions(ast.BinOp):
            place = Place(self, node, statement)
            yield place, place.at(node.left), place.at(node.right)

    def assignments(self) -> Iterator[Assignment]:
        """Yield the assignments to names, attributes and items, in source order."""
        return assignments_of(self)

    @cached_property
    def _assignments_to(self) -> dict[str, list[Assignment]]:
        found = defaultdict(list)
        for one in self.assignments():
            found[written(one.target.expression)].append(one)
        return found

    def assignments_to(self, target: str) -> list[Assignment]:
        """Return the assignments to a target with this text, in source order."""
        return self._assignments_to.get(target, [])

    def classes(self) -> Iterator[DefinedClass]:
        """Yield the classes, in source order."""
        return (DefinedClass(self, scope) for scope in self.index.scopes if scope.kind == "class")

    def functions(self) -> Iterator[DefinedFunction]:
        """Yield the functions and methods, in source order."""
        return (DefinedFunction(self, scope) for scope in self.index.scopes if scope.kind == "function")

    def loops(self) -> Iterator[Loop]:
        """Yield the loops, in source order."""
        return (Loop(self, node) for node in loop_statements(self))

    def loops_around(self, place: Place) -> tuple[Loop, ...]:
        """Return the loops of the same function around a place, innermost first."""
        return tuple(Loop(self, node) for node in loops_around(place))

    def function_around(self, place: Place) -> DefinedFunction | None:
        """Return the function that a place is in."""
        scope = function_around(place)
        return DefinedFunction(self, scope) if scope is not None else None

    def class_around(self, place: Place) -> DefinedClass | None:
        """Return the class that a place is in."""
        scope = class_around(place)
        return DefinedClass(self, scope) if scope is not None else None

    def call_at(self, place: Place) -> Call | None:
        """Return a place as a call, None if it is none."""
        return call_at(place)

    def place(self, expression: ast.expr, statement: ast.stmt) -> Place:
        """Return an expression as a place."""
        return Place(self, expression, statement)

    def header(self, loop: ast.For | ast.AsyncFor | ast.While) -> Place:
        """Return the place that stands for a loop: what it iterates over, or its test."""
        return header(self, loop)

    def name_of(self, scope: Scope) -> Place:
        """Return the place that stands for a function: its name."""
        return name_of(self, scope)
