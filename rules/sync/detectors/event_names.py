"""The names of an event where it is recorded and where it is queried: its own, or that of a list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.around import loops_around
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.place import Place

_ELEMENT = "[]"


def names_of(event: Place) -> frozenset[str]:
    """Return the name of an event, as text, and `ends[]` for each list that it is known to be an element of."""
    return frozenset({written(event.expression), *(f"{one}{_ELEMENT}" for one in _lists(event))})


def elements_named(event: Place) -> frozenset[str]:
    """Return the names of an event, and those of what the function appends to the lists that it is an element of."""
    names = names_of(event)
    appended = (
        written(call.args[0])
        for call, _ in event.file.calls_in_scope(event.scope)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "append"
        and len(call.args) == 1
        and f"{written(call.func.value)}{_ELEMENT}" in names
    )
    return names.union(appended)


def _lists(event: Place) -> Iterator[str]:
    match event.expression:
        # Constant indices distinguish the elements.
        case ast.Subscript(value=values, slice=index) if not isinstance(index, (ast.Constant, ast.UnaryOp, ast.Slice)):
            yield written(values)
        case ast.Name(id=name):
            for target, iterated in _iterations(event):
                yield from _iterated_as(target, iterated, name)


def _iterations(event: Place) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the targets and iterables of the loops and comprehensions around an event."""
    for loop in loops_around(event):
        if isinstance(loop, (ast.For, ast.AsyncFor)):
            yield loop.target, loop.iter
    for node in walk(event.statement):
        if isinstance(node, ast.comprehension):
            yield node.target, node.iter


def _iterated_as(target: ast.expr, iterated: ast.expr, name: str) -> Iterator[str]:
    """Yield the list that a name iterates over: `ends` of `for start, end in zip(starts, ends)`."""
    match target, iterated:
        case ast.Name(id=found), (ast.Name() | ast.Attribute()) if found == name:
            yield written(iterated)
        case ast.Tuple(elts=parts), ast.Call(func=ast.Name(id="zip"), args=lists):
            for part, one in zip(parts, lists, strict=False):
                yield from _iterated_as(part, one, name)
        case ast.Tuple(elts=[_, part]), ast.Call(func=ast.Name(id="enumerate"), args=[one, *_]):
            yield from _iterated_as(part, one, name)
