"""What `container[key]` may be: what the container was made with, and what was stored under the key since."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.lookups import looked_through, named_in
from torchlint.model.containers.items import item, item_under, only_key
from torchlint.model.containers.module_containers import is_container
from torchlint.model.containers.refilling import put_under
from torchlint.model.containers.takings import takings
from torchlint.model.place import Place
from torchlint.model.tensors.scalars import is_old_number
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Array,
    Built,
    Display,
    Imported,
    Iterator,
    Literal,
    Number,
    Possibility,
    PythonFile,
    Tensor,
    Text,
    Tuple,
    Unknown,
    Value,
    ValueSet,
    known,
)
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# An item under one of these is a number, in the groups of an optimizer and in any settings.
_RATES = frozenset({"lr", "initial_lr", "learning_rate", "weight_decay", "momentum"})


def item_of(ev: Evaluator, place: Place) -> ValueSet:
    """Return what `container[key]` may be."""
    node = place.expression
    assert isinstance(node, ast.Subscript)
    if named := looked_through(ev, place.at(node.value)):
        key = only_key(ev.evaluate(place.at(node.slice)))
        return either(*(named_in(ev, one, key) for one in named))
    if is_old_number(ev, place):
        return known(Number(), place)
    containers = ev.evaluate(place.at(node.value))
    if any(isinstance(one.value, Imported) and one.value.name == "sys.modules" for one in containers):
        return known(PythonFile(place.file)) if written(node.slice) == "__name__" else UNKNOWN
    if _runs_backwards(node.slice):
        # A tensor raises: `step must be greater than zero` (2.13).
        containers = tuple(Possibility(Unknown()) if isinstance(one.value, Tensor) else one for one in containers)
    if isinstance(node.slice, ast.Slice):
        return either(*(_sliced(ev, one, place) for one in containers))
    keys = ev.evaluate(place.at(node.slice))
    key = only_key(keys)
    stored = put_under(ev, place.at(node.value), key)
    taken = ((item(ev, one, key) if stored else item_under(ev, one, keys), one) for one in containers)
    found = either(*(_part_of(inner, one, place) for inner, one in taken))
    if stored and all(isinstance(one.value, Display) for one in containers):
        # What is not in a dict display was added later.
        found = tuple(one for one in found if not isinstance(one.value, Unknown))
    displays = [one.value.place for one in containers if isinstance(one.value, Display)]
    if displays and _is_filled_elsewhere(ev, place, node.value, displays):
        stored = either(stored, UNKNOWN)
    if key in _RATES and not stored and all(isinstance(one.value, Unknown) for one in found):
        return known(Number(), place)
    return either(stored, found)


def _part_of(found: ValueSet, container: Possibility, place: Place) -> ValueSet:
    """Return what is read from a tensor as made here: it has other dimensions than the whole."""
    if not isinstance(container.value, Tensor):
        return found
    return tuple(Possibility(one.value, place, one.story) for one in found)


def _runs_backwards(key: ast.expr) -> bool:
    """Tell whether a slice has a negative step: `shape[::-1]`."""
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    steps = (part.step for part in parts if isinstance(part, ast.Slice))
    return any(isinstance(step, ast.UnaryOp) and isinstance(step.op, ast.USub) for step in steps)


def _sliced(ev: Evaluator, one: Possibility, place: Place) -> ValueSet:
    match one.value:
        case Tuple(items=items):
            return (one.of_value(_part_of_tuple(ev, items, place)),)
        case Display() if not _is_from_start(place):
            return known(Iterator(ev.elements(one)), place)
        case Tensor() | Array() | Number() | Display() | Text():
            return (one,)
        case Built() as value if is_container(value):
            return (one,)
        case Literal(value=str()):
            return known(Text())
        case _:
            return UNKNOWN


def _is_from_start(place: Place) -> bool:
    """Tell whether a slice leaves items at their positions: `gpus[:2]`, `gpus[:]`."""
    match place.expression:
        case ast.Subscript(slice=ast.Slice(lower=None | ast.Constant(value=0 | None), step=None)):
            return True
        case _:
            return False


def _part_of_tuple(ev: Evaluator, items: tuple[ValueSet, ...], place: Place) -> Value:
    """Return the items of a slice with known ends, or else the join of all items."""
    assert isinstance(place.expression, ast.Subscript)
    part = place.expression.slice
    assert isinstance(part, ast.Slice)
    ends: list[int | None] = []
    for end in (part.lower, part.upper, part.step):
        number = only_key(ev.evaluate(place.at(end))) if end is not None else None
        if end is not None and not isinstance(number, int):
            return Iterator(either(*items))
        ends.append(number if isinstance(number, int) else None)
    return Tuple(items[slice(*ends)]) if ends[2] != 0 else Iterator(either(*items))


def _is_filled_elsewhere(ev: Evaluator, place: Place, container: ast.expr, displays: list[Place]) -> bool:
    """Tell whether some method stores items in `self.x` under indices or keys that are unknown here."""
    if not isinstance(container, ast.Attribute):
        return False
    by_decorators = [taking.store for display in displays for taking in takings(ev, display)]
    return any(
        not isinstance(store.key, (ast.Constant, ast.Slice, ast.Tuple)) and store not in by_decorators
        for store in place.file.stores.items(written(container))
    )
