"""Names that a file gives to something that has one already: `from torch import load as read`, `read = torch.load`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from torchlint.syntax.index import Index
from torchlint.syntax.last_names import IN_TABLE, callee_name, last_name, table_name


def other_names(index: Index) -> Mapping[str, set[str]]:
    """Return the names that a file gives, in any scope or to an attribute, by the last name of what they stand for."""
    found: dict[str, set[str]] = defaultdict(set)
    for scope in index.scopes:
        for name, bindings in scope.bindings.items():
            for binding in bindings:
                if binding.imported is not None:
                    found[binding.imported.name or ""].add(name)
                elif binding.kind == "assign" and binding.value is not None:
                    _add(found, binding.value, name)
        if isinstance(scope.node, ast.ClassDef):
            found[scope.name] |= {f"{table}{IN_TABLE}" for table in _registered_in(scope.node)}
    for store in index.stores:
        if isinstance(store.key, str) and store.value is not None:
            _add(found, store.value, store.key)
    return {original: names for original, names in found.items() if original}


def _add(found: Mapping[str, set[str]], value: ast.expr, name: str) -> None:
    found[_name_of(value)].add(name)
    for held in _held(value):
        found[_name_of(held)].add(f"{name}{IN_TABLE}")


def _held(value: ast.expr) -> Sequence[ast.expr]:
    """Return what a table holds that is written down."""
    match value:
        case ast.Dict(values=held) | ast.List(elts=held) | ast.Tuple(elts=held):
            return held
        case _:
            return ()


def _registered_in(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names of the objects whose methods take a class as decorators: `@MODELS.register()`."""
    for above in node.decorator_list:
        match above.func if isinstance(above, ast.Call) else above:
            case ast.Attribute(value=ast.Name(id=table)):
                yield table
            case _:
                pass


def _name_of(value: ast.expr) -> str:
    """Return the last name of what is named, or taken out of a table, or of the function that `partial(…)` fixes."""
    if isinstance(value, ast.Call) and callee_name(value) == "partial" and value.args:
        return last_name(value.args[0])
    return last_name(value) or table_name(value)
