"""Where a file stores into attributes and items, by what is written for the container and by the name stored."""

from __future__ import annotations

import ast
from collections import defaultdict

from torchlint.model.syntax.index import Index
from torchlint.model.syntax.scope import Scope, Store
from torchlint.model.syntax.walk import written


class StoreLookup:
    """The stores of a file, in the order of its index."""

    def __init__(self, index: Index) -> None:
        self._of_name: dict[str, list[Store]] = defaultdict(list)
        self._items: dict[str, list[Store]] = defaultdict(list)
        self._items_in: dict[tuple[Scope, str], list[Store]] = defaultdict(list)
        for store in index.stores:
            if isinstance(store.value, ast.Name):
                self._of_name[store.value.id].append(store)
            if not isinstance(store.key, str):
                self._add_item(store, index.home[store.statement][0].scope)
        self._augmented: dict[str, list[ast.AugAssign]] = defaultdict(list)
        for statement in index.statements(ast.AugAssign):
            self._augmented[written(statement.target)].append(statement)

    def _add_item(self, store: Store, scope: Scope) -> None:
        container = written(store.target)
        self._items[container].append(store)
        self._items_in[scope, container].append(store)
        if "." in container and scope.outer is not None and scope.is_method:
            self._items_in[scope.outer, container].append(store)

    def of_name(self, name: str) -> list[Store]:
        """Return the stores whose value is a name."""
        return self._of_name.get(name, [])

    def items(self, container: str) -> list[Store]:
        """Return the `container[…] = …` of the whole file."""
        return self._items.get(container, [])

    def items_in(self, scope: Scope, container: str) -> list[Store]:
        """Return the `container[…] = …` of a scope; those of attributes in its methods are a class's own as well."""
        return self._items_in.get((scope, container), [])

    def augmented(self, target: str) -> list[ast.AugAssign]:
        """Return the `target += …`, in source order."""
        return self._augmented.get(target, [])
