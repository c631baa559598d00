"""Plain lists and dicts in attributes of a class's objects, and what the class stores in them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.undisplayed import is_no_display
from torchlint.model.values.value_sets import Class, Display
from torchlint.syntax.index import source_order
from torchlint.syntax.walk import is_written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope, Store

ADDING = ("append", "insert", "extend", "add", "update", "setdefault", "appendleft")
"""The methods that add to a list, dict, set or module."""


@dataclass(frozen=True, slots=True)
class PlainList:
    """A store of a list or dict into an attribute of `self`, and its names in the class."""

    store: Store
    written: Place
    names: tuple[str, ...]


def plain_lists(ev: Evaluator, kind: Class) -> Iterator[PlainList]:
    """Yield the lists and dicts that the methods of a class store in attributes of its objects."""
    for store in kind.file.index.stores:
        method = kind.file.index.home[store.statement][0].scope
        if not isinstance(store.key, str) or store.kind != "assign" or store.selector or store.value is None:
            continue
        if method.outer is not kind.scope or not method.parameters:
            continue
        if not isinstance(store.target, ast.Name) or store.target.id != method.parameters[0].name:
            continue
        value = Place(kind.file, store.value, store.statement)
        if is_no_display(ev, value):
            continue
        values = ev.evaluate(value)
        if len(values) == 1 and isinstance(values[0].value, Display):
            names = [f"{store.target.id}.{store.key}"]
            if isinstance(store.value, ast.Name):
                names.append(store.value.id)
            yield PlainList(store, values[0].value.place, tuple(names))


def members(kind: Class, kept: PlainList) -> Iterator[Place]:
    """Yield what the list or dict holds: the items of its display, and what its class adds."""
    yield from _written(kept.written)
    yield from (one for place in _added(kind.file, kept) if is_within(kind, place.statement) for one in _parts(place))


def _added(file: ParsedFile, kept: PlainList) -> Iterator[Place]:
    """Yield what is added to something with one of the names of the list or dict."""
    for method in ADDING:
        calls = (one for name in kept.names for one in file.method_calls_on(name, method))
        for call, statement in sorted(calls, key=source_order):
            if call.args:
                yield Place(file, call.args[-1], statement)
    for store in (one for name in kept.names for one in file.stores.items(name)):
        # `self.teacher[0] = teacher.to(x.device)` adds nothing to the one that is hidden.
        if not store.selector and store.value is not None and not _hides(kept.written.expression):
            yield Place(file, store.value, store.statement)
    for addition in (one for name in kept.names for one in file.stores.augmented(name)):
        yield Place(file, addition.value, addition)


def _parts(place: Place) -> Iterator[Place]:
    is_container = isinstance(place.expression, (ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.DictComp))
    yield from _written(place) if is_container else iter((place,))


def _written(place: Place) -> Iterator[Place]:
    """Yield the items of a list or dict display, those of nested lists included."""
    match place.expression:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items) if not _hides(place.expression):
            for one in items:
                yield from _parts(place.at(one))
        case ast.Dict(values=items):
            for one in items:
                yield from _parts(place.at(one))
        case ast.ListComp(elt=one) | ast.SetComp(elt=one) | ast.DictComp(value=one) | ast.GeneratorExp(elt=one):
            yield from _parts(place.at(one))


def _hides(node: ast.expr) -> bool:
    """Tell whether this is a list of one name, which hides a module on purpose: `self.teacher = [teacher]`."""
    match node:
        case ast.List(elts=[only]) | ast.Tuple(elts=[only]) | ast.Set(elts=[only]):
            return isinstance(only, (ast.Name, ast.Attribute))
        case _:
            return False


def reads_of(kind: Class, kept: PlainList) -> Iterator[Place]:
    """Yield where the class reads the list or dict by one of its names."""
    for name in kept.names:
        owner, _, attribute = name.rpartition(".")
        reads = kind.file.attribute_reads(attribute) if owner else kind.file.name_reads(name)
        for node, statement in reads:
            if is_written(node, name) and is_within(kind, statement):
                yield Place(kind.file, node, statement)


def is_within(kind: Class, statement: ast.stmt) -> bool:
    """Tell whether a statement is in a class, and in no nested class."""
    return _class_of(kind.file.index.home[statement][0].scope) is kind.scope


def _class_of(scope: Scope | None) -> Scope | None:
    while scope is not None and scope.kind != "class":
        scope = scope.outer
    return scope
