"""The items of a list, tuple, set, dict or comprehension that is a display."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.containers.lists import added_to, kept_as, stores_into
from torchlint.model.containers.positions import length_of_display, made_at, made_under
from torchlint.model.containers.registries import registered_under
from torchlint.model.containers.stored_items import is_filled_in_bulk, stores_under
from torchlint.model.containers.takings import takings
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.plain import plain
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import CUT, UNKNOWN, Display, Literal, Possibility, Unknown, ValueSet
from torchlint.syntax.arguments import has_star
from torchlint.syntax.scope import Store

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_MOST_ITEMS = 12
_NO_STORES: tuple[Store, ...] = ()


def elements_of(ev: Evaluator, possible: ValueSet) -> ValueSet:
    """Return what iterating over an expression yields."""
    return either(*(ev.elements(one) for one in possible))


def displayed(ev: Evaluator, place: Place, key: object) -> ValueSet:
    """Return what a display at a place holds under a key; None for an unknown key."""
    node = place.expression
    if isinstance(node, (ast.List, ast.Tuple)) and isinstance(key, int) and not _is_after_star(node.elts, key):
        if -len(node.elts) <= key < len(node.elts):
            return ev.evaluate(place.at(node.elts[key]))
        # What is not in the display was added later.
        return _at(ev, place, key) or either(*_added(ev, place)) or UNKNOWN
    if isinstance(node, ast.Dict):
        return _with_put(ev, place, key, _of_dict(ev, place, node, key))
    if isinstance(node, ast.DictComp):
        return ev.evaluate(made_under(ev, place, key) or place.at(node.value))
    return _at(ev, place, key) or all_displayed(ev, place)


def _at(ev: Evaluator, place: Place, key: object) -> ValueSet:
    """Return the item at a position of a list that a loop or comprehension makes, if its order is known."""
    if type(key) is not int:
        return ()
    position = key if key >= 0 else (length_of_display(ev, place) or 0) + key
    made = made_at(place, position) if position >= 0 else None
    return ev.evaluate(made) if made is not None else ()


def lacks(container: Possibility, key: object) -> bool:
    """Tell whether something is a dict display without a key."""
    match container.value:
        case Display(place=Place(expression=ast.Dict(keys=keys))):
            return all(isinstance(name, ast.Constant) and name.value != key for name in keys)
        case _:
            return False


def all_displayed(ev: Evaluator, place: Place) -> ValueSet:
    """Return what the elements of a display may be; those of a dict are its keys."""
    match place.expression:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            written = [_element(ev, place.at(one)) for one in items[:_MOST_ITEMS]]
            return either(*written, *_added(ev, place)) or UNKNOWN
        case ast.ListComp(elt=one) | ast.SetComp(elt=one) | ast.GeneratorExp(elt=one):
            return ev.evaluate(place.at(one))
        case ast.DictComp(key=one):
            return ev.evaluate(place.at(one))
        case ast.Dict(keys=keys):
            named = (UNKNOWN if key is None else ev.evaluate(place.at(key)) for key in keys[:_MOST_ITEMS])
            return either(*named) or UNKNOWN
        case _:
            return UNKNOWN


def _of_dict(ev: Evaluator, place: Place, node: ast.Dict, key: object) -> ValueSet:
    if key is None:
        entries = list(zip(node.keys, node.values, strict=True))[:_MOST_ITEMS]
        written = (_under_any(ev, place.at(value), is_spread=name is None) for name, value in entries)
        return either(*written) or _put_later(ev, place, node, None)
    for name, value in zip(reversed(node.keys), reversed(node.values), strict=True):
        if isinstance(name, ast.Constant) and name.value == key:
            return ev.evaluate(place.at(value))
        if name is None:
            # `{**more}` overrides the entries before it.
            found = either(*(ev.item((one, key)) for one in ev.evaluate(place.at(value))))
            if any(not isinstance(one.value, Unknown) for one in found):
                return found
    return _put_later(ev, place, node, key)


def _put_later(ev: Evaluator, place: Place, node: ast.Dict, key: object) -> ValueSet:
    """Return what is stored under a key after a dict display, including by decorators."""
    return either(_put_into(ev, place, node, key), registered_under(ev, place, key)) or UNKNOWN


def _put_into(ev: Evaluator, place: Place, node: ast.Dict, key: object) -> ValueSet:
    """Return what is computed or defined under a key, None for any, of a dict that starts empty.

    Copies, such as of the tensors of another state dict, take long to follow and show little.
    """
    stores = _stores_later(ev, place) if not node.keys else ()
    found: list[ValueSet] = []
    for store in stores[:_MOST_ITEMS]:
        stored = Place(place.file, store.value or store.target, store.statement, place.frame, place.given)
        if key is None or _may_be(ev, stored, store.key, key):
            is_read = isinstance(store.value, ast.Call) or plain(stored) is not None
            found.append(ev.evaluate(stored) if is_read else UNKNOWN)
    return either(*found, *((CUT,) if len(stores) > _MOST_ITEMS else ()))


@tabled(_NO_STORES)
def _stores_later(ev: Evaluator, place: Place) -> tuple[Store, ...]:
    """Return the stores into a dict display at a place, without those by which decorators fill it."""
    by_decorators = {taking.store for taking in takings(ev, place)}
    return tuple(store for store in stores_into(place) if store not in by_decorators)


def _may_be(ev: Evaluator, stored: Place, named: object, key: object) -> bool:
    """Tell whether the key of a store is surely a given key, at least in some iteration of a loop."""
    possible = ev.evaluate(stored.at(named)) if isinstance(named, ast.expr) else ()
    return any(isinstance(one.value, Literal) and one.value.value == key for one in possible)


def _with_put(ev: Evaluator, place: Place, key: object, found: ValueSet) -> ValueSet:
    """Add what the function that writes a dict stores there under a key: `out = {}`, `out["loss"] = loss`."""
    name = kept_as(place)
    stores = list(stores_under(place, name, key)) if name is not None and "." not in name else []
    if not stores or name is None:
        return found
    # What is not in a dict display was added later.
    was_written = tuple(one for one in found if not isinstance(one.value, Unknown))
    put = (_put(ev, place, store) for store in stores)
    return either(was_written, *put, UNKNOWN if is_filled_in_bulk(place, name, key) else ())


def _put(ev: Evaluator, place: Place, store: Store) -> ValueSet:
    if store.value is None or store.selector or store.kind != "assign":
        return UNKNOWN
    return ev.evaluate(Place(place.file, store.value, store.statement, place.frame, place.given))


def _under_any(ev: Evaluator, value: Place, *, is_spread: bool) -> ValueSet:
    """Return what an entry of a dict adds: a value, or those of an unpacked `**more`."""
    possible = ev.evaluate(value)
    return either(*(ev.item((one, None)) for one in possible)) if is_spread else possible


def _added(ev: Evaluator, place: Place) -> list[ValueSet]:
    """Return what is added to a list after its display."""
    found = []
    for added, is_whole in added_to(place) if isinstance(place.expression, ast.List) else ():
        value = ev.evaluate(added)
        found.append(elements_of(ev, value) if is_whole else value)
    return found


def _element(ev: Evaluator, place: Place) -> ValueSet:
    if isinstance(place.expression, ast.Starred):
        return elements_of(ev, ev.evaluate(place.at(place.expression.value)))
    return ev.evaluate(place)


def _is_after_star(items: Sequence[ast.expr], position: int) -> bool:
    return has_star(items[: position + 1] if position >= 0 else items[position:])
