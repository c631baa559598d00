"""What `container[key] = …` stores in a container: under a constant key, or under each key that it has.

`for key in batch: batch[key] = batch[key].to(device)` moves what is under any key that no test skips.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.exits import loops_of
from torchlint.syntax.facts import atoms
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Store

_LISTING = frozenset({"list", "tuple", "sorted", "set"})


def stores_under(place: Place, container: str, key: object) -> Iterator[Store]:
    """Yield the stores of the function around a place under a key of a container, by its name."""
    for store in place.file.stores.items_under(place.scope, container, key) if key is not None else ():
        if store.value is not None and is_under(place.file, store, key):
            yield store


def is_under(file: ParsedFile, store: Store, key: object) -> bool | None:
    """Tell whether a store may be under a key; None if its key is unknown."""
    match store.key:
        case ast.Constant(value=value):
            return value == key
        case ast.Name(id=name):
            return _may_be(Place(file, store.key, store.statement), name, written(store.target), key)
        case _:
            return None if isinstance(key, str) else False


def is_filled_in_bulk(place: Place, container: str, key: object) -> bool:
    """Tell whether the function around a place may store something under a key of a container without naming it."""
    if any(is_under(place.file, store, key) is None for store in place.file.stores.open_items(place.scope, container)):
        return True
    updates = (Place(place.file, call, statement) for call, statement in place.file.index.calls("update"))
    return any(update.scope is place.scope and update.code.startswith(f"{container}.") for update in updates)


def _may_be(stored: Place, name: str, container: str, key: object) -> bool | None:
    """Tell whether a name may be a certain key of a container at a place."""
    tests = (atom for test in dominating_conditions(stored) for atom in atoms(test.test, test.holds))
    if not all(_lets_through(test, name, key, holds) for test, holds in tests):
        return False
    for loop in loops_of(stored.file.index, stored.statement):
        if isinstance(loop, ast.For) and (keys := _keys_of(loop.target, loop.iter, name)) is not None:
            return _is_among(keys, container, key)
    return None if isinstance(key, str) else False


def _is_among(keys: ast.expr, container: str, key: object) -> bool | None:
    """Tell whether a key is among those that a loop iterates over: the container's own, or constants."""
    match keys:
        case ast.List(elts=named) | ast.Tuple(elts=named) | ast.Set(elts=named) if all(
            isinstance(one, ast.Constant) for one in named
        ):
            return any(isinstance(one, ast.Constant) and one.value == key for one in named)
        case ast.Call(func=ast.Name(id="enumerate" | "range"), args=[owner]):
            return isinstance(key, int) and written(owner) in {container, f"len({container})"}
        case _ if not isinstance(key, str):
            return False
        case ast.Call(func=ast.Attribute(value=owner, attr="keys" | "items")):
            return written(owner) == container or None
        case _:
            return written(keys) == container or None


def _keys_of(target: ast.expr, source: ast.expr, name: str) -> ast.expr | None:
    """Return what a loop binds a name to the keys of: `for key in batch`, `for key, value in batch.items()`."""
    match target, source:
        case _, ast.Call(func=ast.Name(id=listing), args=[inner]) if listing in _LISTING:
            return _keys_of(target, inner, name)
        case ast.Tuple(elts=[ast.Name(id=bound), _]), (
            ast.Call(func=ast.Attribute(attr="items")) | ast.Call(func=ast.Name(id="enumerate"))
        ) if bound == name:
            return source
        case ast.Name(id=bound), _ if bound == name:
            return source
        case _:
            return None


def _lets_through(test: ast.expr, name: str, key: object, holds: bool) -> bool:
    """Tell whether a test may have this outcome for a key; one that is no comparison with constants may."""
    match test:
        case ast.Compare(
            left=ast.Name(id=asked), ops=[ast.Eq() | ast.NotEq() as op], comparators=[ast.Constant(value=other)]
        ):
            return asked != name or (key == other) is (isinstance(op, ast.Eq) is holds)
        case ast.Compare(left=ast.Name(id=asked), ops=[ast.In() | ast.NotIn() as op], comparators=[among]):
            keys = among.elts if isinstance(among, (ast.Tuple, ast.List, ast.Set)) else []
            constants = {one.value for one in keys if isinstance(one, ast.Constant)}
            is_known = asked == name and len(constants) == len(keys) > 0
            return not is_known or (key in constants) is (isinstance(op, ast.In) is holds)
        case _:
            return True
