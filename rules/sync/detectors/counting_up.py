"""Whether each iteration stores under another key: `seen[step] = loss`."""

from __future__ import annotations

import ast

from torchlint.model.training.evaluation import iterates_over_modules
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import written

from .additions import Addition

_COUNTING = frozenset({"range", "enumerate", "trange", "count"})


def counts_up(addition: Addition, loop: ast.stmt | None) -> bool:
    """Tell whether a value is added, or stored under a key that a loop (None: the caller) counts up."""
    if addition.key is None:
        return True
    keys = addition.key.elts if isinstance(addition.key, ast.Tuple) else [addition.key]
    return any(_is_target(key, loop) or _is_increased(addition, key, loop) for key in keys)


def _is_target(key: ast.expr, loop: ast.stmt | None) -> bool:
    """Tell whether a loop counts its iterations, or the batches, in a variable."""
    match loop:
        case ast.For(target=ast.Name() as target, iter=ast.Call(func=function)):
            pass
        case ast.For(target=ast.Tuple(elts=[ast.Name() as target, *_]), iter=ast.Call(func=function)):
            pass
        case _:
            return False
    is_counted = last_name(function) in _COUNTING and not iterates_over_modules(loop)
    return is_counted and isinstance(key, ast.Name) and key.id == target.id


def _is_increased(addition: Addition, key: ast.expr, loop: ast.stmt | None) -> bool:
    """Tell whether something is added to a key, and nothing resets it in the loop."""
    index, scope = addition.place.file.index, addition.place.scope
    if isinstance(key, ast.Name) and loop is not None:
        inside = [one for one in scope.bindings.get(key.id, ()) if index.is_in_body(one.statement, loop)]
        return bool(inside) and all(one.kind == "augment" for one in inside)
    additions = index.statements(ast.AugAssign)
    return isinstance(key, ast.Attribute) and written(key) in (written(one.target) for one in additions)
