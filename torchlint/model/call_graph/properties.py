"""Reads of attributes that run code: a class of the project defines the attribute as a property.

A `cached_property` runs only once for each object.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Function, Instance
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_Reads: TypeAlias = "dict[Scope, list[tuple[ast.Attribute, ast.stmt]]]"


class PropertyReads:
    """The reads of attributes that some class of the project defines as properties; each file is searched once."""

    def __init__(self, ev: Evaluator) -> None:
        self._ev = ev
        self._found: dict[ParsedFile, _Reads] = {}

    def in_loop(self, file: ParsedFile, loop: ast.stmt) -> Iterator[Place]:
        """Yield those in the body of a loop, without functions defined there."""
        for place in self.in_scope(file, file.index.home[loop][0].scope):
            if file.index.is_in_body(place.statement, loop):
                yield place

    def in_scope(self, file: ParsedFile, scope: Scope) -> Iterator[Place]:
        """Yield those that a function or file makes itself."""
        if file not in self._found:
            self._found[file] = self._looked_through(file)
        return (Place(file, node, statement) for node, statement in self._found[file].get(scope, ()))

    def _looked_through(self, file: ParsedFile) -> _Reads:
        library, found = self._ev.project.library, defaultdict(list)
        if not library.holding("property"):
            return {}
        for node, statement in file.all_attribute_reads():
            if library.computing(node.attr):
                found[file.index.home[statement][0].scope].append((node, statement))
        return dict(found)


def getters_of(ev: Evaluator, place: Place) -> Iterator[Function]:
    """Yield the functions of the project that reading an attribute runs."""
    node = place.expression
    assert isinstance(node, ast.Attribute)
    for owner in ev.evaluate(place.at(node.value)):
        if isinstance(owner.value, Instance):
            method = method_of(ev, owner.value.kind, node.attr, owner)
            if method is not None and _is_property(method.scope):
                yield method


def _is_property(function: Scope) -> bool:
    return function.is_decorated_as("property") and len(function.parameters) == 1
