"""Modules that are no parts of each other: `encoder` and `decoder`, which one function makes for themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.around import is_self
from torchlint.syntax.walk import walk, written

from .trained_module import may_be_one_call, origins_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def are_unrelated(ev: Evaluator, one: Place, other: Place) -> bool:
    """Tell whether one function makes two modules by two calls, passes neither to the other, and puts none into it."""
    made, made_other = origins_of(ev, one), origins_of(ev, other)
    if not made or not made_other or len({origin.scope for origin in (*made, *made_other)}) != 1:
        return False
    if any(may_be_one_call(at, at_other) for at in made for at_other in made_other):
        return False
    return _are_apart(made, made_other) and _are_apart(made_other, made)


def _are_apart(made: frozenset[Place], others: frozenset[Place]) -> bool:
    """Tell whether what some calls make surely has no part of what others make."""
    names, held = (frozenset(map(_name_of, places)) for places in (made, others))
    if None in names or None in held or not names.isdisjoint(held):
        return False
    words = {name for name in held if name is not None}
    if any(_mentions(origin.statement, words) for origin in made):
        return False
    return not any(_mentions(change, words) for name in names if name for change in _changes(made, name))


def _name_of(origin: Place) -> str | None:
    """Return the only variable or attribute that the statement of a call binds."""
    match origin.statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target]):
            return written(target)
        case _:
            return None


def _mentions(node: ast.AST, names: set[str]) -> bool:
    """Tell whether a statement reads one of some names, or passes the object that has them."""
    values = node.value if isinstance(node, ast.Assign) else node
    return any(
        written(one) in names or (isinstance(one, ast.Call) and any(map(is_self, one.args)))
        for one in walk(values)
        if isinstance(one, (ast.Name, ast.Attribute, ast.Call))
    )


def _changes(made: frozenset[Place], name: str) -> Iterator[ast.AST]:
    """Yield what stores into a module, and the calls of its methods, in the function that makes it."""
    for origin in made:
        index, scope = origin.file.index, origin.scope
        yield from (
            one.statement
            for one in index.stores
            if index.home[one.statement][0].scope is scope
            and f"{written(one.target)}.".startswith((f"{name}.", f"{name}["))
        )
        yield from (call for call, _ in origin.file.calls_in_scope(scope) if written(call.func).startswith(f"{name}."))
