"""A call, as rules see it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.finding import Span
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Imported
from torchlint.model.worlds import ANYWHERE
from torchlint.syntax.arguments import has_open_keywords, has_star
from torchlint.syntax.calledfile import on_lines

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile, Project
    from torchlint.model.values.value_sets import Function


class Call(Place):
    """A call: `model.to(device)` is a call of the method `to` with the owner `model`."""

    __slots__ = ()

    @property
    def _call(self) -> ast.Call:
        assert isinstance(self.expression, ast.Call)
        return self.expression

    @property
    def callee(self) -> Place:
        """Return what is called: `model.to`."""
        return self.at(self._call.func)

    @property
    def method(self) -> str:
        """Return the last name of what is called: `to`; empty where that has no name."""
        return self.callee.word

    @property
    def owner(self) -> Place | None:
        """Return what stands before the dot: `model`; None in the call of a plain name."""
        return self.callee.owner

    @property
    def arguments(self) -> tuple[Place, ...]:
        """Return the positional arguments, up to the first `*`."""
        arguments = []
        for argument in self._call.args:
            if isinstance(argument, ast.Starred):
                break
            arguments.append(self.at(argument))
        return tuple(arguments)

    @property
    def keywords(self) -> dict[str, Place]:
        """Return the keyword arguments by name."""
        return {word.arg: self.at(word.value) for word in self._call.keywords if word.arg is not None}

    @property
    def is_open(self) -> bool:
        """Tell whether `*args` or `**kwargs` may pass anything."""
        return has_star(self._call.args) or has_open_keywords(self._call)

    @property
    def is_partial(self) -> bool:
        """Tell whether the callee may be a `partial(…)` of a function outside the project, which passes more."""
        possible = self.callee.possibilities()
        return any(isinstance(one.value, Imported) and one.origin is not None for one in possible)

    def argument(self, name: str, position: int | None = None) -> Place | None:
        """Return the argument for a parameter, by keyword or else at its position; None if there is none."""
        if (found := self.keywords.get(name)) is not None:
            return found
        arguments = self.arguments
        return arguments[position] if position is not None and position < len(arguments) else None

    def span_of_argument(self, value: Place) -> Span:
        """Return the span of an argument, with its keyword if there is one."""
        word = next((word for word in self._call.keywords if word.value is value.expression), None)
        span = value.span
        start = self.file.position(word.lineno, word.col_offset) if word is not None else (span.line, span.column)
        return Span(*start, span.end_line, span.end_column)

    @property
    def callees(self) -> tuple[Function, ...]:
        """Return the functions of the project that the call may run."""
        return self.file.project.evaluator(ANYWHERE).callees(self)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call, which is reported with its keyword if it has one."""

    call: Call
    value: Place

    @property
    def path(self) -> str:
        """Return the file's path as torchlint prints it."""
        return self.call.path

    @property
    def span(self) -> Span:
        """Return the span of the argument, with its keyword if there is one."""
        return self.call.span_of_argument(self.value)


def call_at(place: Place) -> Call | None:
    """Return a place as a call, None if it is none."""
    is_call = isinstance(place.expression, ast.Call)
    return Call(place.file, place.expression, place.statement, place.frame, place.given) if is_call else None


def calls_of(file: ParsedFile, names: frozenset[str]) -> Iterator[Call]:
    """Yield the calls of functions or classes outside the project, by their full names, in source order.

    Calls of a `partial(…)` of one are left out: more is passed than is written there.
    """
    for place in method_calls_of(file, file.words_for(names)):
        if place.callee.names & names and not place.is_partial:
            yield place


def method_calls_of(file: ParsedFile, words: frozenset[str]) -> Iterator[Call]:
    """Yield the calls whose callee has one of these last names, in source order."""
    found = [pair for word in words for pair in file.index.calls(word)]
    for call, statement in sorted(found, key=lambda pair: _end(pair[0])):
        yield Call(file, call, statement)


def calls_between(file: ParsedFile, word: str, first: int, last: int) -> Iterator[Call]:
    """Yield the calls whose callee has a last name and that start on some lines of a file, in source order."""
    calls = on_lines(file.index.calls(word), first, last)
    return (Call(file, call, statement) for call, statement in calls)


def calls_anywhere(project: Project, name: str) -> Iterator[Call]:
    """Yield the calls, in all files of a project, whose callee has a last name or an alias of it."""
    for path in project.library.using(name):
        if (file := project.parsed(path)) is not None:
            for word in sorted(file.words_for([name])):
                yield from (Call(file, call, statement) for call, statement in file.index.calls(word))


def _end(call: ast.Call) -> tuple[int, int, int]:
    return (call.lineno, call.end_lineno or 0, call.end_col_offset or 0)
