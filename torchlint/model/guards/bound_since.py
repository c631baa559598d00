"""Whether what a test asked about was bound again between the test and a place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchlint.model.guards.located import says_where
from torchlint.model.place import Place
from torchlint.syntax.dominating_conditions import Condition
from torchlint.syntax.last_names import root_of
from torchlint.syntax.walk import is_written, walk, written


def is_bound_since(place: Place, condition: Condition) -> bool:
    """Tell whether an expression is bound again between a test about it and its place: `if x is None: x = …`."""
    statements = list(_stores_into(place, place.expression))
    for root in _roots_of(place.expression):
        bound = place.scope.bindings.get(root.id, ())
        statements += [one.statement for one in bound if one.kind != "augment"]
        # `x += 1` does not move a tensor.
        augmented = [one.statement for one in bound if one.kind == "augment"]
        if augmented and says_where(condition.test, condition.holds, written(place.expression)) is None:
            statements += augmented
    between = [one for one in statements if condition.statement.lineno < one.lineno < place.statement.lineno]
    return any(not _is_in_other_arm(place, one, condition) for one in between)


def _stores_into(place: Place, node: ast.expr) -> Iterator[ast.stmt]:
    """Yield the statements that store into an attribute or item, and into what it is read from."""
    match node:
        case ast.Attribute(value=owner, attr=name):
            stores = place.file.index.attribute_stores(name)
            yield from (one.statement for one in stores if is_written(one.target, written(owner)))
        case ast.Subscript(value=container):
            yield from (one.statement for one in place.file.stores.items(written(container)))
            yield from _stores_into(place, container)


def _roots_of(node: ast.expr) -> Iterator[ast.Name]:
    """Yield the names that an expression is read from: those of an item are its container's and its key's."""
    if isinstance(node, ast.Subscript):
        yield from (one for one in walk(node) if isinstance(one, ast.Name))
    elif isinstance(root := root_of(node), ast.Name):
        yield root


def _is_in_other_arm(place: Place, statement: ast.stmt, condition: Condition) -> bool:
    """Tell whether a statement only runs if a test has another outcome than on the path to a place."""
    owner, home = condition.statement, place.file.index.home
    if not isinstance(owner, ast.If) or owner.test is not condition.test:
        return False
    arm = owner.orelse if condition.holds else owner.body
    is_on_lines = bool(arm) and arm[0].lineno <= statement.lineno <= (arm[-1].end_lineno or 0)
    return is_on_lines and home[statement][0].scope is home[owner][0].scope
