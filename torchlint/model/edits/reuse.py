"""Expressions that can be written elsewhere in a function with the same value."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.devices.operands import is_on_the_device
from torchlint.model.place import Place
from torchlint.syntax.last_names import is_dotted_name
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def is_same(place: Place, there: Place) -> bool:
    """Tell whether a name, or an attribute of one, has the same value at another place of the function."""
    if place.scope is not there.scope or not is_dotted_name(place.expression):
        return False
    index, node = place.file.index, place.expression
    while isinstance(node, ast.Attribute):
        stores = (index.home[store.statement][0].scope for store in index.attribute_stores(node.attr))
        if place.scope in stores:
            return False
        node = node.value
    assert isinstance(node, ast.Name)
    bindings = place.scope.bindings.get(node.id, ())
    found = [reaching(index, bindings, one.statement, lambda *_: None) for one in (place, there)]
    return not bindings or (not found[1].open and set(found[0].definitions) == set(found[1].definitions))


def device_at_hand(ev: Evaluator, place: Place, used: Place) -> Place | None:
    """Return a tensor that is on the device when a place is reached: an operand beside it, or one in it."""
    for around in (used, place):
        for one in _names_in(around):
            is_part = one.span >= place.span and one.span.end_line <= place.span.end_line and around is used
            if not is_part and is_same(one, place) and is_on_the_device(ev, one):
                return one
    return None


def _names_in(place: Place) -> Iterator[Place]:
    for node in walk(place.expression):
        if isinstance(node, (ast.Name, ast.Attribute)) and is_dotted_name(node):
            yield place.at(node)
