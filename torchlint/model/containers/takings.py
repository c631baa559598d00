"""How a decorator stores what it decorates in a dict: itself, or through another function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import kept_as
from torchlint.model.values.tabled import tabled
from torchlint.syntax.arguments import passed
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope, Store


@dataclass(frozen=True, slots=True)
class Taking:
    """A `registry[name] = cls` that a decorator runs."""

    taker: Scope
    """The function that receives the class."""
    key: ast.expr | None
    """The key that it stores it under, as written; None if it is unknown."""
    store: Store


_NOTHING: tuple[Taking, ...] = ()


@tabled(_NOTHING)
def takings(_: Evaluator, registry: Place) -> tuple[Taking, ...]:
    """Return how decorators may store what they decorate in an empty dict display at a place."""
    name = kept_as(registry) if isinstance(registry.expression, ast.Dict) and not registry.expression.keys else None
    if name is None or (registry.scope.kind == "function" and "." not in name):
        return ()
    return tuple(_takings(registry, name))


def _takings(registry: Place, name: str) -> Iterator[Taking]:
    for store in registry.file.stores.items(name):
        putter = registry.file.index.home[store.statement][0].scope
        if store.selector or not _means_same(name, putter, registry.scope):
            continue
        if _takes(putter, store.value):
            yield Taking(putter, _plainly(putter, store.key), store)
        elif putter.kind == "function":
            yield from _through_functions(registry.file, putter, store)


def _through_functions(file: ParsedFile, putter: Scope, store: Store) -> Iterator[Taking]:
    """Yield how functions pass their argument to the one that stores it: `self._put(cls.__name__, cls)`."""
    home = putter if putter.is_method or putter.outer is None else putter.outer
    for call, statement in file.index.calls(putter.name):
        taker = file.index.home[statement][0].scope
        if _means_same(written(call.func), taker, home) and _takes(taker, _passed_for(call, putter, store.value)):
            key = _passed_for(call, putter, store.key) if isinstance(store.key, ast.expr) else None
            yield Taking(taker, _plainly(taker, key), store)


def _passed_for(call: ast.Call, function: Scope, value: ast.expr | None) -> ast.expr | None:
    """Return the argument for a parameter that the function does not rebind, None for anything else."""
    if not isinstance(value, ast.Name) or len(function.bindings.get(value.id, ())) != 1:
        return None
    return passed(call, value.id, position_of(function, value.id))


def _plainly(taker: Scope, key: str | ast.expr | None) -> ast.expr | None:
    """Return a key as it is written where its name is bound: `name = cls.__name__`."""
    bindings = taker.bindings.get(key.id, ()) if isinstance(key, ast.Name) else ()
    if any(one.kind != "parameter" for one in bindings):
        return bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
    return key if isinstance(key, ast.expr) else None


def _means_same(name: str, taker: Scope, home: Scope) -> bool:
    """Tell whether a name in a function, or in a nested one, refers to what a file, class or method calls by it."""
    scope = taker.binder(name.partition(".")[0])
    return scope is not None and (scope.outer is home.outer and scope.is_method if "." in name else scope is home)


def _takes(taker: Scope, value: ast.expr | None) -> bool:
    """Tell whether a value is the first parameter of a function, `self` aside, and is never rebound."""
    names = [one.name for one in taker.parameters[taker.is_method :] if not one.star][:1]
    return isinstance(value, ast.Name) and [value.id] == names and len(taker.bindings[value.id]) == 1


def position_of(function: Scope, name: str) -> int | None:
    """Return the position at which a parameter is passed, `self` aside."""
    names = [one.name for one in function.parameters[function.is_method :] if one.position is not None]
    return names.index(name) if name in names else None
