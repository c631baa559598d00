"""The functions that a decorator of the project is applied to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.model.containers.registries import decorated
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_MOST_FILES = 20
_NONE: tuple[Function, ...] = ()


def decorated_through(ev: Evaluator, callee: Place) -> tuple[Function, ...]:
    """Return the possible arguments for the first parameter of a decorator, in the wrapper that it returns."""
    if not isinstance(callee.expression, ast.Name):
        return ()
    outer = callee.scope.outer
    scope = outer.binder(callee.expression.id) if outer is not None else None
    is_first = scope is not None and scope.parameters[:1] and scope.parameters[0].name == callee.expression.id
    return decorated_by(ev, Function(callee.file, scope)) if scope is not None and is_first else ()


@tabled(_NONE)
def decorated_by(ev: Evaluator, decorator: Function) -> tuple[Function, ...]:
    """Return the functions that a function decorates, itself or as what a call returns: `@timed`, `@timed("step")`."""
    outer = decorator.scope.outer
    factory = outer if outer is not None and outer.kind == "function" else decorator.scope
    found: list[Function] = []
    for path in islice(ev.project.library.holding(f"@{factory.name}"), _MOST_FILES):
        if (file := ev.project.parsed(path)) is not None:
            found += _decorated_in(ev, file, factory.name, decorator)
    return tuple(found)


def _decorated_in(ev: Evaluator, file: ParsedFile, name: str, decorator: Function) -> Iterator[Function]:
    for scope, expression in decorated(file, name):
        if scope.kind == "function" and _is(ev, expression, decorator):
            yield Function(file, scope)


def _is(ev: Evaluator, expression: Place, decorator: Function) -> bool:
    values = (one.value for one in ev.evaluate(expression))
    return any(isinstance(value, Function) and value.scope is decorator.scope for value in values)
