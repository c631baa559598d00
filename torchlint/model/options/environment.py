"""Where a program sets an environment variable of its own process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.place import Place

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile

_SETTING = frozenset({"os.environ.setdefault", "os.putenv"})


@dataclass(frozen=True, slots=True)
class EnvironmentStore:
    """A place that sets an environment variable, and its value."""

    place: Place
    value: Place


def environment_stores(file: ParsedFile, name: str) -> Iterator[EnvironmentStore]:
    """Yield where a file sets an environment variable, in source order."""
    if not file.says(name):
        return
    yield from sorted((*_items(file, name), *_calls(file, name)), key=lambda store: store.place.span)


def _items(file: ParsedFile, name: str) -> Iterator[EnvironmentStore]:
    for statement in file.index.statements(ast.Assign):
        for target in statement.targets:
            match target:
                case ast.Subscript(value=container, slice=ast.Constant(value=key)) if key == name:
                    place = Place(file, target, statement)
                    if "os.environ" in place.at(container).names:
                        yield EnvironmentStore(place, place.at(statement.value))


def _calls(file: ParsedFile, name: str) -> Iterator[EnvironmentStore]:
    for word in ("setdefault", "putenv", "update"):
        for node, statement in file.index.calls(word):
            call = Call(file, node, statement)
            if not call.callee.names & (_SETTING | {"os.environ.update"}):
                continue
            if word == "update":
                yield from (EnvironmentStore(call, value) for value in _updated(call, name))
            elif len(call.arguments) == 2 and call.arguments[0].literals == (name,):
                yield EnvironmentStore(call, call.arguments[1])


def _updated(call: Call, name: str) -> Iterator[Place]:
    """Yield what `os.environ.update(NAME=value)` or `….update({"NAME": value})` sets a variable to."""
    if name in call.keywords:
        yield call.keywords[name]
    for argument in call.arguments[:1]:
        if isinstance(argument.expression, ast.Dict):
            for key, value in zip(argument.expression.keys, argument.expression.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    yield argument.at(value)
