"""Which of the values that a file stores in an attribute are replaced by the method that stores them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.scope import Store
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.syntax.site import Site


def lasting_stores(attribute: Site) -> Iterator[Store]:
    """Yield the stores of a file into an attribute, `self.model`, that nothing further down in the method replaces."""
    stores = stores_into(attribute)
    for store in stores:
        if not any(_replaces(attribute, later, store.statement) for later in stores):
            yield store


def replacing_stores(attribute: Site) -> Iterator[Store]:
    """Yield the stores that replace an attribute on every path below its statement."""
    return (later for later in stores_into(attribute) if _replaces(attribute, later, attribute.statement))


def stores_into(attribute: Site) -> list[Store]:
    """Return the stores of a file into an attribute, `self.model`, by the text of its owner."""
    assert isinstance(attribute.expression, ast.Attribute)
    text = written(attribute.expression.value)
    every = attribute.file.index.attribute_stores(attribute.expression.attr)
    return [store for store in every if written(store.target) == text]


def _replaces(attribute: Site, later: Store, statement: ast.stmt) -> bool:
    """Tell whether every path from a statement reaches a store."""
    index = attribute.file.index
    if later.kind != "assign" or later.statement is statement:
        return False
    block, position = index.home[later.statement]
    return any(around is block and before < position for around, before in index.blocks_around(statement))
