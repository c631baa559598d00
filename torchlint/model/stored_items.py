"""What `container[key] = …` puts into a container: under a constant key, or under each key that it has.

`for key in batch: batch[key] = batch[key].to(device)` moves what is under any key that no test leaves out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.around import tests_behind
from torchlint.model.exits import loops_of
from torchlint.model.facts import atoms
from torchlint.model.place import Place
from torchlint.model.walk import written

if TYPE_CHECKING:
    from torchlint.model.scope import Store

_LISTING = frozenset({"list", "tuple", "sorted", "set"})


def stores_under(place: Place, container: str, key: object) -> Iterator[Store]:
    """Yield the stores of the function around a place that put something under a key of a container, as written."""
    for store in place.file.item_stores(place.scope, container) if key is not None else ():
        match store.key:
            case ast.Constant(value=value):
                is_under_key = value == key
            case ast.Name(id=name):
                is_under_key = isinstance(key, str) and _may_be(
                    Place(place.file, store.key, store.statement), name, container, key
                )
            case _:
                is_under_key = False
        if is_under_key and store.value is not None:
            yield store


def is_filled_in_bulk(place: Place, container: str) -> bool:
    """Tell whether the function around a place puts things into a container by keys that it does not say."""
    if any(not isinstance(store.key, ast.Constant) for store in place.file.item_stores(place.scope, container)):
        return True
    updates = (Place(place.file, call, statement) for call, statement in place.file.index.calls("update"))
    return any(update.scope is place.scope and update.text.startswith(f"{container}.") for update in updates)


def _may_be(stored: Place, name: str, container: str, key: str) -> bool:
    """Tell whether a name goes through the keys of a container, and may be a certain one of them at a place."""
    goes_through = any(
        isinstance(loop, ast.For) and _keys_of(loop.target, loop.iter, name) == container
        for loop in loops_of(stored.file.index, stored.statement)
    )
    tests = (atom for test in tests_behind(stored) for atom in atoms(test.test, test.holds))
    return goes_through and all(_lets_through(test, name, key, holds) for test, holds in tests)


def _keys_of(target: ast.expr, source: ast.expr, name: str) -> str | None:
    """Return the container whose keys a loop binds to a name: `for key in batch`, `for key, value in batch.items()`."""
    match target, source:
        case _, ast.Call(func=ast.Name(id=listing), args=[inner]) if listing in _LISTING:
            return _keys_of(target, inner, name)
        case ast.Name(id=bound), ast.Call(func=ast.Attribute(value=owner, attr="keys")) if bound == name:
            return written(owner)
        case ast.Tuple(elts=[ast.Name(id=bound), _]), ast.Call(func=ast.Attribute(value=owner, attr="items")) if (
            bound == name
        ):
            return written(owner)
        case ast.Name(id=bound), ast.Name() | ast.Attribute() if bound == name:
            return written(source)
        case _:
            return None


def _lets_through(test: ast.expr, name: str, key: str, holds: bool) -> bool:
    """Tell whether a test may come out so for a key; what is no comparison with constants may."""
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
