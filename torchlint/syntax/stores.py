"""Where in its statement a value is put into an attribute."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.syntax.scope import Store


def store_target(store: Store) -> ast.expr:
    """Return the attribute that a store is into, as an expression of its statement."""
    targets: list[ast.expr] = [*store.statement.targets] if isinstance(store.statement, ast.Assign) else []
    if isinstance(store.statement, (ast.AugAssign, ast.AnnAssign)):
        targets.append(store.statement.target)
    for target in targets:
        for node in walk(target):
            if isinstance(node, ast.Attribute) and node.attr == store.key and node.value is store.target:
                return node
    return store.target
