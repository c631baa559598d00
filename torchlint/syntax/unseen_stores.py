"""Values that a method replaces before they escape: `self.on = torch.tensor(on)`, `self.on = bool(self.on)`.

A value may be read by what the method calls in between with its object: other methods, callees with the object as an
argument.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from torchlint.syntax.exits import loops_of
from torchlint.syntax.index import Index
from torchlint.syntax.reaching_definitions import left_by
from torchlint.syntax.scope import Scope, Store
from torchlint.syntax.walk import walk, written


def is_seen_by_others(index: Index, store: Store) -> bool:
    """Tell whether a value that a method stores in its object may be read outside the method before it is replaced."""
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
    if (method, owner) not in index.looking:
        index.looking[method, owner] = _looking(method, owner)
    if (lines := index.looking[method, owner]) is None:
        return
    left = left_by(index, method, stores, lambda *_: None).definitions
    behind = bisect_right(lines, max(store.statement.end_lineno or 0 for store in stores))
    for store in stores:
        if store not in left and bisect_left(lines, _start(index, store)) >= behind:
            yield store


def _start(index: Index, store: Store) -> int:
    """Return the line from which on a stored value may be read; with loops, that is the first of them."""
    return min((loop.lineno for loop in loops_of(index, store.statement)), default=store.statement.lineno + 1)


def _looking(method: Scope, owner: str) -> list[int] | None:
    """Return the lines on which others may read a method's object: calls of its methods, and uses of the object itself.

    With a nested function that reads the object, that may be at any time: None.
    """
    owners: set[ast.AST] = set()
    lines: list[int] = []
    for node in walk(method.node):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node is not method.node and _reads(node, owner):
                return None
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name)) | ast.Name(id="super" as name)):
                if name in {owner, "super"}:
                    lines.append(node.lineno)
            case ast.Attribute(value=ast.Name() as of):
                owners.add(of)
            case ast.Name(id=name) if name == owner and node not in owners:
                lines.append(node.lineno)
    return sorted(lines)


def _reads(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id in {name, "super"} for node in walk(function))
