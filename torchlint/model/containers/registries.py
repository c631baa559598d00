"""Registries: dicts of classes that a decorator fills, `@register("small")` above `class Small`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.containers.takings import Taking, position_of, takings
from torchlint.model.place import Place
from torchlint.model.values.frames import frame_into
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Class, Function, Literal, ValueSet, known
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import last_name, without_call

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

# A registry that more files mention is a library's, with more entries than are looked through.
_MOST_FILES = 40


def registered_under(ev: Evaluator, registry: Place, key: object) -> ValueSet:
    """Return the classes that decorators store under a key, None for any, in an empty dict display at a place."""
    found = (_taken(ev, registry, taking, key) for taking in takings(ev, registry))
    return either(*found)


def _taken(ev: Evaluator, registry: Place, taking: Taking, key: object) -> ValueSet:
    """Return the classes that a decorator stores under a key."""
    taker = taking.taker
    decorator = _given_back_by(taker)
    if decorator is None:
        return UNKNOWN
    # A bare `@register` is neither a call nor an argument.
    library = ev.project.library
    saying = library.holding(decorator.name) if decorator is taker else library.using(decorator.name)
    if (files := naming(ev, saying, _owner(registry))) is None:
        return UNKNOWN
    found = [UNKNOWN for file in files if _is_called_in(ev, file, registry, decorator)]
    for scope, above in (pair for file in files for pair in decorated(file, decorator.name)):
        # A decorator that is called returns the one that is applied.
        is_outer = isinstance(above.expression, ast.Call)
        if is_outer is (decorator is taker) or not _is_by(ev, above, registry, decorator):
            continue
        name = _name_of(ev, scope, above, taking.key, decorator)
        if None in {key, name} or key == name:
            # What a decorated function returns is unknown.
            found.append(known(Class(above.file, scope)) if scope.kind == "class" else UNKNOWN)
    return either(*found)


def naming(ev: Evaluator, paths: Iterable[Path], registry: Place | None) -> list[ParsedFile] | None:
    """Return those files that mention an object by a name it is assigned to, None if they are too many."""
    names = [one for one in registry.bound_to if one.isidentifier()] if registry is not None else []
    held = [ev.project.library.holding(name) for name in names]
    found = list(islice((path for path in paths if not held or any(path in one for one in held)), _MOST_FILES + 1))
    if len(found) > _MOST_FILES:
        return None
    return [file for path in found if (file := ev.project.parsed(path)) is not None]


def _owner(registry: Place) -> Place | None:
    """Return where the object is made that has a registry as an attribute."""
    frame = frame_into(registry, registry.scope)
    return frame.receiver.origin if frame is not None and frame.receiver is not None else None


def _given_back_by(taker: Scope) -> Scope | None:
    """Return the decorator: what receives the class itself, or what returns that when it is called with a name."""
    outer = taker.outer
    if outer is None or outer.kind != "function":
        return taker
    is_returned = any(isinstance(one.value, ast.Name) and one.value.id == taker.name for one in outer.returns)
    return outer if is_returned else None


def decorated(file: ParsedFile, decorator: str) -> Iterator[tuple[Scope, Place]]:
    """Yield the classes and functions of a file with a decorator of that name, with its place."""
    words = file.words_for((decorator,))
    for scope in file.index.scopes:
        if not isinstance(scope.node, ast.Module):
            for above in scope.decorators:
                if last_name(without_call(above)) in words:
                    yield scope, Place(file, above, scope.node)


def _is_called_in(ev: Evaluator, file: ParsedFile, registry: Place, decorator: Scope) -> bool:
    """Tell whether a file calls a decorator other than above a class or function: its arguments are not looked at."""
    return any(
        _is_by(ev, Place(file, call, statement), registry, decorator)
        for word in file.words_of(decorator.name)
        for call, statement in file.index.calls(word)
        if not isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
    )


def _is_by(ev: Evaluator, above: Place, registry: Place, decorator: Scope) -> bool:
    """Tell whether a decorator is the one that fills a registry, and of that very object if it is a method."""
    node = above.expression
    owner = _owner(registry)
    for one in ev.evaluate(above.at(node.func if isinstance(node, ast.Call) else node)):
        if isinstance(one.value, Function) and one.value.scope is decorator:
            own = one.value.receiver
            return not decorator.is_method or (own is not None and own.origin is not None and own.origin == owner)
    return False


def _name_of(ev: Evaluator, scope: Scope, above: Place, key: ast.expr | None, decorator: Scope) -> object:
    """Return the name that something is registered under, None if it is unknown."""
    match key:
        case ast.Attribute(attr="__name__"):
            return scope.name
        case ast.Name(id=asked) if isinstance(above.expression, ast.Call):
            given = passed(above.expression, asked, position_of(decorator, asked))
            return sure_key(ev, above.at(given)) if given is not None else None
        case _:
            return None


def sure_key(ev: Evaluator, key: Place) -> object:
    """Return the constant that a key surely is, None if it may be something else."""
    values = [one.value for one in ev.evaluate(key)]
    return values[0].value if len(values) == 1 and isinstance(values[0], Literal) else None
