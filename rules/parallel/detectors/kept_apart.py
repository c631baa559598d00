"""Wrappers that an object stores in an attribute of their own, and in the model's attribute only under a further test.

`self.wrapped = model`, and `if self.is_sharded: self.model = model`: the object trains and queries two different
attributes, so that the test most likely means a wrapper that forwards attributes, as FSDP does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Possibility
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.overwriting import stores_into
from torchlint.syntax.scope import Store

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def is_kept_apart(ev: Evaluator, owner: Place, wrapper: Possibility) -> bool:
    """Tell whether an attribute only holds a wrapper under a test, and another attribute holds it in any case."""
    if not isinstance(owner.expression, ast.Attribute):
        return False
    bringing = [store for store in stores_into(owner) if _brings(ev, owner, store, wrapper)]
    return bool(bringing) and all(_is_let_in(owner, store) for store in bringing)


def _brings(ev: Evaluator, owner: Place, store: Store, wrapper: Possibility) -> bool:
    value = store.value
    return value is not None and wrapper in ev.evaluate(Place(owner.file, value, store.statement))


def _is_let_in(owner: Place, store: Store) -> bool:
    """Tell whether a store has a condition, not about the stored value, that another store of the value lacks."""
    if not isinstance(store.value, ast.Name):
        return False
    own = _tests(owner, store)
    for other in _stored_elsewhere(owner, store, store.value.id):
        further = own - _tests(owner, other)
        if further and not any(store.value.id in owner.file.texts_in(test) for test in further):
            return True
    return False


def _stored_elsewhere(owner: Place, store: Store, name: str) -> Iterator[Store]:
    """Yield where the function of a store stores the value of a name in other attributes."""
    home = owner.file.index.home
    scope = home[store.statement][0].scope
    for other in owner.file.index.stores:
        is_of_name = isinstance(other.value, ast.Name) and other.value.id == name
        is_other = isinstance(other.key, str) and other.key != store.key
        if is_of_name and is_other and home[other.statement][0].scope is scope:
            yield other


def _tests(owner: Place, store: Store) -> set[ast.expr]:
    assert store.value is not None
    return {condition.test for condition in dominating_conditions(Place(owner.file, store.value, store.statement))}
