"""Which of the values that a file puts into an attribute outlive the method that puts them there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.scope import Store
from torchlint.model.walk import written

if TYPE_CHECKING:
    from torchlint.model.place import Place


def lasting_stores(attribute: Place) -> Iterator[Store]:
    """Yield the stores of a file into an attribute, `self.model`, that nothing further down in the method replaces."""
    assert isinstance(attribute.expression, ast.Attribute)
    text = written(attribute.expression.value)
    every = attribute.file.index.attribute_stores(attribute.expression.attr)
    stores = [store for store in every if written(store.target) == text]
    for store in stores:
        if not any(_replaces(attribute, later, store) for later in stores):
            yield store


def _replaces(attribute: Place, later: Store, store: Store) -> bool:
    """Tell whether control always comes from one store to another one."""
    index = attribute.file.index
    if later.kind != "assign" or later is store:
        return False
    block, position = index.home[later.statement]
    return any(around is block and before < position for around, before in index.blocks_around(store.statement))
