"""Values that a method replaces before anybody else sees them: `self.on = torch.tensor(on)`, `self.on = bool(self.on)`.

Who else may see one is whoever the method calls in between with its object: other methods, what is given the object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlint.model.syntax.exits import loops_of
from torchlint.model.syntax.flow import left_by
from torchlint.model.syntax.index import Index
from torchlint.model.syntax.scope import Scope, Store
from torchlint.model.syntax.walk import walk, written


def is_seen_by_others(index: Index, store: Store) -> bool:
    """Tell whether anybody but the method that puts something into an attribute of its object may find it there."""
    assert isinstance(store.key, str)
    method = index.home[store.statement][0].scope
    key = (method, written(store.target), store.key)
    if key not in index.unseen:
        index.unseen[key] = frozenset(_unseen(index, *key))
    return store not in index.unseen[key]


def _unseen(index: Index, method: Scope, owner: str, name: str) -> Iterator[Store]:
    stores = [
        store
        for store in index.attribute_stores(name)
        if index.home[store.statement][0].scope is method and written(store.target) == owner
    ]
    if len(stores) < 2 or method.yields or isinstance(method.node, ast.AsyncFunctionDef):
        return
    left = left_by(index, method, stores, lambda *_: None).definitions
    end = max(store.statement.end_lineno or 0 for store in stores)
    for store in stores:
        if store not in left and not any(True for _ in _looks(method, owner, _start(index, store), end)):
            yield store


def _start(index: Index, store: Store) -> int:
    """Return the line from which on somebody may see what is stored; with loops, that is the first of them."""
    return min((loop.lineno for loop in loops_of(index, store.statement)), default=store.statement.lineno + 1)


def _looks(method: Scope, owner: str, start: int, end: int) -> Iterator[ast.AST]:
    """Yield what may have others look at a method's object: calls of its methods, and the object itself."""
    owners: set[ast.AST] = set()
    for node in walk(method.node):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node is not method.node:
                yield node
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name)) | ast.Name(id="super" as name)):
                if name in {owner, "super"} and start <= node.lineno <= end:
                    yield node
            case ast.Attribute(value=ast.Name() as of):
                owners.add(of)
            case ast.Name(id=name) if name == owner and node not in owners and start <= node.lineno <= end:
                yield node
