"""Where what is added to is detached for good, under any name: an item, each item of a list, an alias.

`sums["loss"].detach_().zero_()` keeps no graph, and neither does `for one in sums.values(): one.detach_()`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.pytorch.gradient_ends import WITHOUT_HISTORY
from torchlint.syntax.walk import walk, written

from .additions import Addition

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.scope import Scope


def detached_in(file: ParsedFile, scope: Scope, addition: Addition) -> Iterator[ast.stmt]:
    """Yield the statements of a function that may detach what something is added to, for good."""
    added: set[str] | None = None
    for name in WITHOUT_HISTORY:
        for call, statement in file.calls_of(scope, name):
            detached = _detached(call)
            if not _is_kept(name, detached, statement) or _is_another_item(detached, addition):
                continue
            added = {addition.root, *_aliased(scope, addition.name)} if added is None else added
            if not added.isdisjoint(_owners(scope, detached)):
                yield statement


def _detached(call: ast.Call) -> ast.expr:
    """Return what a call detaches: `state` of `state.detach_()`, and of `torch.detach_(state)`."""
    if call.args:
        return call.args[0]
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func


def _is_kept(name: str, detached: ast.expr, statement: ast.stmt) -> bool:
    """Tell whether the result takes the place of what is detached: `sums["loss"] = sums["loss"].detach()`."""
    is_stored = isinstance(statement, ast.Assign) and written(detached) in map(written, statement.targets)
    return name.endswith("_") or is_stored


def _is_another_item(detached: ast.expr, addition: Addition) -> bool:
    """Tell whether it is an item with another key than that of what is added to."""
    match detached, addition.place.expression:
        case ast.Subscript(slice=ast.Constant(value=key)), ast.Subscript(slice=ast.Constant(value=other)):
            return bool(key != other)
        case _:
            return False


def _owners(scope: Scope, detached: ast.expr) -> Iterator[str]:
    """Yield what an expression is a part of, by its own names, and by what these are an alias or an item of."""
    for part in _parts(detached):
        yield written(part)
        if isinstance(part, ast.Name):
            yield from _aliased(scope, part.id)
            iterated = (one.value for one in scope.bindings.get(part.id, ()) if one.kind == "iterate")
            yield from (written(one) for value in iterated if value is not None for one in walk(value))


def _aliased(scope: Scope, name: str) -> Iterator[str]:
    """Yield what a name is bound to, as it is or to a part of it: `sums` of `total = sums[0]`."""
    for one in scope.bindings.get(name, ()):
        if one.kind == "assign" and isinstance(one.value, (ast.Name, ast.Attribute, ast.Subscript)):
            yield from map(written, _parts(one.value))


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and what it is a part of, through attributes, items and methods: both of `meter.sums[0]`."""
    while True:
        yield node
        match node:
            case ast.Attribute(value=owner) | ast.Subscript(value=owner) | ast.Call(func=ast.Attribute(value=owner)):
                node = owner
            case _:
                return
