"""Aliases in a file: `from torch import load as read`, `read = torch.load`.

The target of a loop is an alias of the items: `for build in (first, second):`.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain

from torchlint.syntax.index import Index
from torchlint.syntax.last_names import IN_TABLE, callee_name, last_name, table_name
from torchlint.syntax.scope import Binding
from torchlint.syntax.walk import COMPREHENSIONS, walk


def other_names(index: Index) -> Mapping[str, set[str]]:
    """Return the aliases of a file, of any scope or attribute, by the last name of what they refer to."""
    found: dict[str, set[str]] = defaultdict(set)
    for scope in index.scopes:
        for binding in chain.from_iterable(scope.bindings.values()):
            _add_binding(found, binding)
        if isinstance(scope.node, ast.ClassDef):
            found[scope.name] |= {f"{table}{IN_TABLE}" for table in _registered_in(scope.node)}
    for target, source in comprehended(index):
        _add_each(found, source, target.id)
    for store in index.stores:
        if isinstance(store.key, str) and store.value is not None:
            _add(found, store.value, store.key)
    return {original: names for original, names in found.items() if original}


def _add_binding(found: Mapping[str, set[str]], binding: Binding) -> None:
    if binding.imported is not None:
        found[binding.imported.name or ""].add(binding.name)
    elif binding.kind == "assign" and binding.value is not None:
        _add(found, binding.value, binding.name)
    elif binding.kind == "iterate" and binding.value is not None:
        _add_each(found, binding.value, binding.name)


def comprehended(index: Index) -> Iterator[tuple[ast.Name, ast.expr]]:
    """Yield the names that comprehensions bind, and what each iterates over."""
    for kind in COMPREHENSIONS:
        for comprehension, _ in index.expressions(kind):
            assert isinstance(comprehension, COMPREHENSIONS)
            for generator in comprehension.generators:
                targets = (node for node in walk(generator.target) if isinstance(node, ast.Name))
                yield from ((target, generator.iter) for target in targets)


def _add(found: Mapping[str, set[str]], value: ast.expr, name: str) -> None:
    found[_name_of(value)].add(name)
    for held in _held(value):
        found[_name_of(held)].add(f"{name}{IN_TABLE}")


def _add_each(found: Mapping[str, set[str]], source: ast.expr, name: str) -> None:
    """Add a name for what a loop iterates over: the items of a display, or of a table with a name."""
    for table in _iterables(source):
        for held in _held(table):
            found[_name_of(held)].add(name)
        if last_name(table):
            found[f"{last_name(table)}{IN_TABLE}"].add(name)


def _iterables(source: ast.expr) -> Iterator[ast.expr]:
    """Yield what a loop iterates over, through `enumerate` and the items of a dict."""
    match source:
        case ast.Call(func=ast.Name(), args=[_, *_] as tables):
            yield from tables
        case ast.Call(func=ast.Attribute(value=table, attr="items" | "values"), args=[]):
            yield table
        case _:
            yield source


def _held(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the items of a display, in pairs or not."""
    match value:
        case ast.Dict(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from part.elts if isinstance(part, ast.Tuple) else (part,)


def _registered_in(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names of the objects whose methods decorate a class: `@MODELS.register()`."""
    for above in node.decorator_list:
        match above.func if isinstance(above, ast.Call) else above:
            case ast.Attribute(value=ast.Name(id=table)):
                yield table
            case _:
                pass


def _name_of(value: ast.expr) -> str:
    """Return the last name of a name, an item of a table, or the function of a `partial(…)`."""
    if isinstance(value, ast.Call) and callee_name(value) == "partial" and value.args:
        return last_name(value.args[0])
    return last_name(value) or table_name(value)
