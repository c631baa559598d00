"""What comes out of containers: items by key, elements one after the other, parts of what is unpacked."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.batches import batches_of
from torchlint.model.containers import MODULE_DICT, is_container, module_at, modules_in
from torchlint.model.displays import all_displayed, displayed, lacks
from torchlint.model.index import callee_name
from torchlint.model.lookups import looked_through, named_in
from torchlint.model.place import Place
from torchlint.model.scope import Selector
from torchlint.model.stored_items import stores_under
from torchlint.model.values import (
    CUT,
    UNKNOWN,
    Array,
    Built,
    Display,
    Imported,
    Iterator,
    Literal,
    Number,
    Possibility,
    Possible,
    PythonFile,
    Tensor,
    Text,
    Tuple,
    Unknown,
    Value,
    either,
    known,
)
from torchlint.model.walk import written

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator

_LOADERS = frozenset({"torch.utils.data.DataLoader", "torch_geometric.loader.DataLoader"})
# What hangs under these is a number, in the groups of an optimizer and in any settings.
_RATES = frozenset({"lr", "initial_lr", "learning_rate", "weight_decay", "momentum"})

# With a dimension, these return the values and then their indices: https://docs.pytorch.org/docs/stable/torch.html
_WITH_INDICES = frozenset("max min sort topk median nanmedian mode kthvalue cummax cummin".split())


def item_of(ev: Evaluator, place: Place) -> Possible:
    """Return what `container[key]` may be."""
    node = place.expression
    assert isinstance(node, ast.Subscript)
    if named := looked_through(ev, place.at(node.value)):
        key = only_key(ev.evaluate(place.at(node.slice)))
        return either(*(named_in(ev, one, key) for one in named))
    containers = ev.evaluate(place.at(node.value))
    if any(isinstance(one.value, Imported) and one.value.name == "sys.modules" for one in containers):
        return known(PythonFile(place.file)) if written(node.slice) == "__name__" else UNKNOWN
    if isinstance(node.slice, ast.Slice):
        return either(*(_sliced(one) for one in containers))
    keys = ev.evaluate(place.at(node.slice))
    key = only_key(keys)
    stored = _stored(ev, place, node.value, key)
    taken = ((item(ev, one, key) if stored else item_under(ev, one, keys), one) for one in containers)
    found = either(*(_part_of(inner, one, place) for inner, one in taken))
    if stored and all(isinstance(one.value, Display) for one in containers):
        # What is not written in a dict was put there.
        found = tuple(one for one in found if not isinstance(one.value, Unknown))
    if any(isinstance(one.value, Display) for one in containers) and _is_filled_elsewhere(place, node.value):
        stored.append(UNKNOWN)
    if key in _RATES and not stored and all(isinstance(one.value, Unknown) for one in found):
        return known(Number(), place)
    return either(*stored, found)


def only_key(keys: Possible) -> object:
    """Return the one constant that a key may be, whatever else it may be; None where there is none, or several."""
    constants = {one.value.value for one in keys if isinstance(one.value, Literal)}
    return next(iter(constants)) if len(constants) == 1 else None


def item_under(ev: Evaluator, container: Possibility, keys: Possible) -> Possible:
    """Return what a container holds under what may be a key; whoever may choose picks what is there."""
    key = only_key(keys)
    is_chosen = not all(isinstance(one.value, Literal) for one in keys)
    return item(ev, container, None if is_chosen and lacks(container, key) else key)


def _part_of(found: Possible, container: Possibility, place: Place) -> Possible:
    """Return what is taken out of a tensor as made here: it has other dimensions than the whole."""
    if not isinstance(container.value, Tensor):
        return found
    return tuple(Possibility(one.value, place, one.story) for one in found)


def item(ev: Evaluator, container: Possibility, key: object) -> Possible:
    """Return what a container holds under a key; None for a key that is not known."""
    match container.value:
        case Tensor() | Array() | Number() as value:
            return known(_indices_of(value, key, container.origin) or value, container.origin)
        case Iterator(items=items):
            return items
        case Tuple(items=items):
            if isinstance(key, int) and -len(items) <= key < len(items):
                return items[key]
            return either(*items)
        case Display(place=place):
            return displayed(ev, place, key)
        case Built(name=name) if name == "torch.nn.Module":
            return (container,)
        case Built() as value if is_container(value):
            return module_at(ev, container, key)
        case Literal(value=str()) | Text():
            return known(Text())
        case Unknown(is_cut=True):
            return CUT
        case _:
            return UNKNOWN


def _indices_of(value: Value, key: object, made: Place | None) -> Tensor | None:
    """Return the indices that a call gives along with the values, whole numbers without a graph: `_, i = x.max(1)`."""
    call = made and made.expression
    if not isinstance(value, Tensor) or key != 1 or not isinstance(call, ast.Call):
        return None
    return replace(value, graph=False) if callee_name(call) in _WITH_INDICES else None


def elements_of_one(ev: Evaluator, one: Possibility) -> Possible:
    """Return what iterating over one thing yields, objects and generators of the project left out."""
    match one.value:
        case Tensor() | Array() as value:
            return known(value)
        case Iterator(items=items):
            return items
        case Tuple(items=items):
            return either(*items)
        case Display(place=place):
            return all_displayed(ev, place)
        case Built(name=name) if name == MODULE_DICT:
            return known(Text())
        case Built() as value if is_container(value):
            return modules_in(ev, one)
        case Built(name=name) if name in _LOADERS:
            return batches_of(ev, one)
        case Literal(value=str()):
            return known(Text())
        case Unknown(is_cut=True):
            return CUT
        case _:
            return UNKNOWN


def select(ev: Evaluator, possible: Possible, selector: Selector) -> Possible:
    """Return the part of a value that a target takes when it is unpacked."""
    for position in selector:
        possible = either(*(_part(ev, one, position) for one in possible))
    return possible


def _part(ev: Evaluator, one: Possibility, position: int | None) -> Possible:
    if position is None:
        return known(Iterator(ev.elements(one)), one.origin)
    match one.value:
        case Tuple() | Display() | Tensor() | Array():
            return item(ev, one, position)
        case Iterator(items=items):
            return items
        case Number():
            # `b, c, h, w = x.shape`
            return (one,)
        case Unknown(is_cut=True):
            return CUT
        case _:
            return UNKNOWN


def _sliced(one: Possibility) -> Possible:
    match one.value:
        case Tensor() | Array() | Number() | Display() | Tuple() | Text():
            return (one,)
        case Built() as value if is_container(value):
            return (one,)
        case Literal(value=str()):
            return known(Text())
        case _:
            return UNKNOWN


def _stored(ev: Evaluator, place: Place, container: ast.expr, key: object) -> list[Possible]:
    """Return what `container[key] = …` elsewhere in the function put there."""
    found = []
    is_named = isinstance(container, (ast.Name, ast.Attribute))
    for store in stores_under(place, written(container), key) if is_named else ():
        assert store.value is not None
        value = ev.evaluate(Place(place.file, store.value, store.statement, place.frame, place.given))
        found.append(select(ev, value, store.selector))
    return found


def _is_filled_elsewhere(place: Place, container: ast.expr) -> bool:
    """Tell whether some method puts items into `self.x` by numbers or keys that nobody knows here."""
    if not isinstance(container, ast.Attribute):
        return False
    text = written(container)
    return any(
        not isinstance(store.key, (str, ast.Constant, ast.Slice, ast.Tuple)) and written(store.target) == text
        for store in place.file.index.stores
    )
