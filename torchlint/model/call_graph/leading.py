"""What leads to a place: the calls of its function, theirs, and what makes a function that nothing calls by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Function
from torchlint.syntax.closure import closure
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def leading_to(ev: Evaluator, place: Place) -> list[Place]:
    """Return the places that run before the function of a place: its callers.

    What has no callers by name is called by what it is passed to: a nested function only after its definition ran, a
    method only after an object was built: `if rank == 0: trainer.extend(Saving())`.
    """
    function = function_of(place)
    if function is None:
        return []
    callers = ev.callers(Function(place.file, function))
    return [caller.place for caller in callers] or list(_making(ev, place.file, function))


def _making(ev: Evaluator, file: ParsedFile, function: Scope) -> Iterator[Place]:
    """Yield where a function is made: its definition in another one, or what builds the objects whose method it is."""
    outer = function.outer
    if outer is not None and outer.kind == "function" and isinstance(function.node, ast.stmt):
        yield Place(file, ast.copy_location(ast.Constant(None), function.node), function.node)
    elif outer is not None and outer.kind == "class":
        for kind in (Class(file, outer), *ev.subclasses(Class(file, outer))):
            yield from _building(ev, kind)


def _building(ev: Evaluator, kind: Class) -> Iterator[Place]:
    for path in ev.project.library.using(kind.scope.name):
        if (file := ev.project.parsed(path)) is not None:
            for word in file.words_of(kind.scope.name):
                targets = ev.targets.of(file, word)
                yield from (place for place, _ in targets.calls.get(kind.scope, ())) if targets is not None else ()


def all_leading_to(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield a place and whatever leads to it, each once."""
    return closure(place, partial(leading_to, ev))


def function_of(place: Place) -> Scope | None:
    """Return the function that a place is in, also one whose body is that of a class in it; None outside of all."""
    scope: Scope | None = place.scope
    while scope is not None and scope.kind == "class":
        scope = scope.outer
    return scope if scope is not None and scope.kind == "function" else None
