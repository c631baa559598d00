"""The stores of a file into attributes and items, by the text of the container and by the name stored."""

from __future__ import annotations

import ast
from collections import defaultdict
from heapq import merge
from operator import itemgetter
from typing import TypeAlias

from torchlint.syntax.called_stores import called_stores
from torchlint.syntax.index import Index
from torchlint.syntax.scope import Scope, Store
from torchlint.syntax.walk import written

_Numbered: TypeAlias = "tuple[int, Store]"


class StoreLookup:
    """The stores of a file, in the order of its index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._own: dict[tuple[Scope, str], list[Store]] | None = None
        self._of_name: dict[str, list[Store]] = defaultdict(list)
        self._items: dict[str, list[Store]] = defaultdict(list)
        self._items_in: dict[tuple[Scope, str], list[Store]] = defaultdict(list)
        self._under: dict[tuple[Scope, str, object], list[_Numbered]] = defaultdict(list)
        self._open: dict[tuple[Scope, str], list[_Numbered]] = defaultdict(list)
        for number, store in enumerate(index.stores):
            if isinstance(store.value, ast.Name):
                self._of_name[store.value.id].append(store)
            if not isinstance(store.key, str):
                self._add_item(number, store, index.home[store.statement][0].scope)
        self._augmented: dict[str, list[ast.AugAssign]] = defaultdict(list)
        for statement in index.statements(ast.AugAssign):
            self._augmented[written(statement.target)].append(statement)

    def _add_item(self, number: int, store: Store, scope: Scope) -> None:
        container = written(store.target)
        self._items[container].append(store)
        is_shared = "." in container and scope.is_method
        for home in (scope, scope.outer) if is_shared else (scope,):
            if home is not None:
                self._items_in[home, container].append(store)
                self._keyed(home, container, store).append((number, store))

    def _keyed(self, home: Scope, container: str, store: Store) -> list[_Numbered]:
        match store.key:
            case ast.Constant(value=value):
                return self._under[home, container, value]
            case _:
                return self._open[home, container]

    def own(self, kind: Scope, name: str) -> list[Store]:
        """Return the stores into an attribute of `self` in the methods of a class, implicit ones included."""
        if self._own is None:
            self._own = defaultdict(list)
            for store in (*self._index.stores, *called_stores(self._index)):
                if isinstance(store.key, str) and (owner := self._owner_of(store)) is not None:
                    self._own[owner, store.key].append(store)
        unwritten = self._index.unwritten(name) if self._index.unwritten is not None else ()
        return [*self._own.get((kind, name), ()), *(one for one in unwritten if self._owner_of(one) is kind)]

    def _owner_of(self, store: Store) -> Scope | None:
        """Return the class of the method that stores something into its own object."""
        method = self._index.home[store.statement][0].scope
        match store.target:
            case ast.Name(id=name) if method.kind == "function" and method.parameters[:1]:
                return method.outer if name == method.parameters[0].name else None
            case _:
                return None

    def of_name(self, name: str) -> list[Store]:
        """Return the stores whose value is a name."""
        return self._of_name.get(name, [])

    def items(self, container: str) -> list[Store]:
        """Return the `container[…] = …` of the whole file."""
        return self._items.get(container, [])

    def items_in(self, scope: Scope, container: str) -> list[Store]:
        """Return the `container[…] = …` of a scope; those of attributes in its methods are a class's own as well."""
        return self._items_in.get((scope, container), [])

    def items_under(self, scope: Scope, container: str, key: object) -> list[Store]:
        """Return those of `items_in` with a given constant key, or with a key that is no constant."""
        under, opened = self._under.get((scope, container, key), ()), self._open.get((scope, container), ())
        return [store for _, store in merge(under, opened, key=itemgetter(0))]

    def open_items(self, scope: Scope, container: str) -> list[Store]:
        """Return those of `items_in` with a key that is no constant."""
        return [store for _, store in self._open.get((scope, container), ())]

    def augmented(self, target: str) -> list[ast.AugAssign]:
        """Return the `target += …`, in source order."""
        return self._augmented.get(target, [])
