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
from torchlint.syntax.last_names import root_of
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_Reads: TypeAlias = "dict[Scope, list[tuple[ast.Attribute, ast.stmt]]]"


class PropertyReads:
    """The reads of attributes that some class of the project defines as properties; each file is searched once."""

    def __init__(self, ev: Evaluator) -> None:
        self._ev = ev
        self._found: dict[ParsedFile, _Reads] = {}
        self._runs_code: dict[str, bool] = {}
        self._getters: dict[ParsedFile, dict[str, list[Scope]]] = {}

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
            if library.computing(node.attr) and self._may_run_code(node.attr):
                found[file.index.home[statement][0].scope].append((node, statement))
        return dict(found)

    def _may_run_code(self, name: str) -> bool:
        """Tell whether a getter of that name does more than return an attribute, or reads one whose getter does.

        `return self.data.shape` has nothing to report, and `shape` is read everywhere: its owners are not evaluated.
        """
        read_by: dict[str, str | None] = {name: None}
        for one in (pending := [name]):
            returned = self._returned_by_getters(one)
            if returned is None or self._runs_code.get(one, False):
                # So do those that lead here: each getter of a chain is looked at once.
                self._runs_code.update(dict.fromkeys(_path(read_by, one), True))
                return True
            for read in self._properties_in(returned):
                if read not in read_by:
                    read_by[read] = one
                    pending.append(read)
        self._runs_code.update(dict.fromkeys(pending, False))
        return False

    def _properties_in(self, returned: list[ast.expr]) -> Iterator[str]:
        attributes = (node.attr for one in returned for node in walk(one) if isinstance(node, ast.Attribute))
        return (one for one in attributes if self._ev.project.library.computing(one))

    def _returned_by_getters(self, name: str) -> list[ast.expr] | None:
        """Return the attributes that the getters of that name return, None if one of them does more."""
        paths = self._ev.project.library.computing(name)
        files = (file for path in paths if (file := self._ev.project.parsed(path)) is not None)
        found = [_returned_alone(getter) for file in files for getter in self._getters_in(file).get(name, ())]
        returned = [one for one in found if one is not None]
        return returned if len(returned) == len(found) else None

    def _getters_in(self, file: ParsedFile) -> dict[str, list[Scope]]:
        if file not in self._getters:
            found: dict[str, list[Scope]] = defaultdict(list)
            for scope in file.index.scopes:
                if _is_property(scope):
                    found[scope.name].append(scope)
            self._getters[file] = dict(found)
        return self._getters[file]


def getters_of(ev: Evaluator, place: Place) -> Iterator[Function]:
    """Yield the functions of the project that reading an attribute runs."""
    node = place.expression
    assert isinstance(node, ast.Attribute)
    for owner in ev.evaluate(place.at(node.value)):
        if isinstance(owner.value, Instance):
            method = method_of(ev, owner.value.kind, node.attr, owner)
            if method is not None and _is_property(method.scope):
                yield method


def _path(read_by: dict[str, str | None], name: str) -> Iterator[str]:
    """Yield a name, and those that lead to it."""
    reader: str | None = name
    while reader is not None:
        yield reader
        reader = read_by[reader]


def _returned_alone(getter: Scope) -> ast.expr | None:
    """Return the attribute that is all that a getter returns, None if there is more in it."""
    body = [one for one in getter.node.body if not _is_text(one)]
    match body:
        case [ast.Return(value=ast.Name() | ast.Attribute() as value)] if isinstance(root_of(value), ast.Name):
            return value
        case _:
            return None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_property(function: Scope) -> bool:
    return function.is_decorated_as("property") and len(function.parameters) == 1
