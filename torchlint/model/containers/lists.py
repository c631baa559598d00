"""Lists and dicts that start empty and are filled in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_POSSIBILITIES
from torchlint.model.place import Place
from torchlint.syntax.unpacking import assigned_pairs
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Store


def added_to(place: Place) -> Iterator[tuple[Place, bool]]:
    """Yield what is added to a list by the name it is assigned to, and whether all its items are added.

    `place` is the display: `losses = []`, `self.losses = []`.
    """
    name = kept_as(place)
    if name is None:
        return
    for method in ("append", "insert", "extend", "add_module"):
        found = 0
        for call, statement in place.file.method_calls_on(name, method):
            if found < MOST_POSSIBILITIES and _is_near(place.file, statement, name, place) and call.args:
                found += 1
                yield Place(place.file, call.args[-1], statement, place.frame, place.given), method == "extend"
    yield from ((one, True) for one in islice(_joined_to(place, name), MOST_POSSIBILITIES))


def _joined_to(place: Place, name: str) -> Iterator[Place]:
    """Yield what a list is extended with: `losses += [loss]`."""
    for statement in place.file.stores.augmented(name):
        if isinstance(statement.op, ast.Add) and _is_near(place.file, statement, name, place):
            yield Place(place.file, statement.value, statement, place.frame, place.given)


def items_put_into(place: Place) -> Iterator[Place]:
    """Yield what `layers[key] = …` stores in a container by the name it is assigned to."""
    for store in islice(stores_into(place), MOST_POSSIBILITIES):
        if store.value is not None:
            yield Place(place.file, store.value, store.statement, place.frame, place.given)


def stores_into(place: Place) -> Iterator[Store]:
    """Yield the `layers[key] = …` into a container by the name it is assigned to."""
    name = kept_as(place)
    if name is None:
        return
    for store in place.file.stores.items(name):
        if not store.selector and _is_near(place.file, store.statement, name, place):
            yield store


def kept_as(place: Place) -> str | None:
    """Return what a display is assigned to, as text: a name, an attribute, or an item of one: `history['loss']`."""
    match place.statement:
        case ast.Assign(targets=[target], value=value):
            return _assigned(target, value, place.expression)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return _assigned(target, value, place.expression)
        case _:
            return None


def _assigned(target: ast.expr, value: ast.expr, container: ast.expr) -> str | None:
    """Return the target that is assigned a container: `ys` for the second list of `xs, ys = [], []`."""
    for part, given in assigned_pairs(target, value):
        if isinstance(part, (ast.Name, ast.Attribute)):
            if given is container:
                return written(part)
            if isinstance(given, ast.Dict) and (key := _key_of(given, container)) is not None:
                return f"{written(part)}[{key.value!r}]"
    return None


def _key_of(mapping: ast.Dict, container: ast.expr) -> ast.Constant | None:
    """Return the constant key under which a dict display has a container."""
    pairs = zip(mapping.keys, mapping.values, strict=True)
    return next((key for key, value in pairs if value is container and isinstance(key, ast.Constant)), None)


def _is_near(file: ParsedFile, statement: ast.stmt, name: str, place: Place) -> bool:
    """Tell whether a name refers to the same list: it is read in the same function, or in the same class."""
    here, there = file.index.home[statement][0].scope, place.scope
    return here is there or ("." in name and here.outer is there.outer)
