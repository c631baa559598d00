"""Attributes that are set from a dict: `self.__dict__.update(defaults)`, `setattr(self, key, value)` in a loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from torchlint.model.attributes.filling import fillings
from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Class, Display, Frame, Instance, Possibility, ValueSet
from torchlint.syntax.device_words import is_about_device
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_FrameOf: TypeAlias = "Callable[[Scope, Possibility], Frame | None]"


def filled_in_bulk(ev: Evaluator, owner: Possibility, name: str, frame_of: _FrameOf) -> ValueSet:
    """Return what an object's attribute about devices may be that is set from a dict display.

    Little depends on other settings, and one class of settings may get the dicts of a whole project.
    """
    if not is_about_device(name):
        return ()
    assert isinstance(owner.value, Instance)
    found: list[ValueSet] = []
    is_open = False
    for kind in filter(_is_of_project, family(ev, owner.value.kind)):
        for node, statement, method in _sources(kind):
            for one in ev.evaluate(Place(kind.file, node, statement, frame_of(method, owner))):
                keys = _keys(one)
                if name in keys:
                    found.append(ev.item((one, name)))
                else:
                    is_open |= None in keys
    # Of unknown items, such as the `**kwargs` of callers elsewhere, options about devices have their defaults.
    if found and is_open and not ev.has_defaults:
        found.append(UNKNOWN)
    return either(*found)


def _is_of_project(kind: Class | str) -> TypeGuard[Class]:
    return isinstance(kind, Class)


def _keys(mapping: Possibility) -> frozenset[object]:
    """Return the keys of a dict, among them None if there may be more."""
    node = mapping.value.place.expression if isinstance(mapping.value, Display) else None
    if not isinstance(node, ast.Dict):
        return frozenset({None})
    return frozenset(key.value if isinstance(key, ast.Constant) else None for key in node.keys)


def _sources(kind: Class) -> Iterator[tuple[ast.expr, ast.stmt, Scope]]:
    """Yield the dicts whose items the methods of a class set as attributes of `self`, each with the method."""
    for one in fillings(kind.file):
        method = kind.file.index.home[one.statement][0].scope
        if written(one.receiver) == _receiver(method, kind) and not one.is_renamed:
            yield one.mapping, one.statement, method


def _receiver(method: Scope, kind: Class) -> str | None:
    is_own = method.kind == "function" and method.outer is kind.scope and bool(method.parameters)
    return method.parameters[0].name if is_own else None
