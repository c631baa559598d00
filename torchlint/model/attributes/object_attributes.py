"""What attributes of classes and their objects are: what the code of a class stores there, or class attributes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.attributes.constructing import constructing, inheriting
from torchlint.model.attributes.fields import given_for_field, is_dataclass
from torchlint.model.attributes.filled_attributes import filled_in_bulk
from torchlint.model.attributes.read_outside import beside_module
from torchlint.model.attributes.stored_outside import set_from_outside, stored_outside
from torchlint.model.call_graph.class_hierarchy import family, method_of, typical
from torchlint.model.containers.displays import elements_of
from torchlint.model.containers.items import taken
from torchlint.model.guards.path_conditions import facts_for_others
from torchlint.model.parallel.device_transfer import transferred
from torchlint.model.place import Place
from torchlint.model.results.own_functions import run_by_apply
from torchlint.model.values.annotations import value_of_annotation
from torchlint.model.values.joins import either
from torchlint.model.values.mutations import is_replaced, is_wrapped_later, may_have_run
from torchlint.model.values.operators import combine_in_place
from torchlint.model.values.order import in_order
from torchlint.model.values.surviving import past_replacing
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Class,
    Frame,
    Function,
    Instance,
    Literal,
    Possibility,
    ValueSet,
    known,
)
from torchlint.syntax.around import is_self
from torchlint.syntax.device_words import is_about_device
from torchlint.syntax.facts import Given
from torchlint.syntax.last_names import is_dotted_name
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.scope import Store
from torchlint.syntax.unseen_stores import is_seen_by_others
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_Stores: TypeAlias = "tuple[Class, tuple[tuple[Store, Frame | None], ...]]"
"""A class, and stores in its methods, each with the frame in which that runs."""
_NO_STORES: tuple[_Stores, ...] = ()
_NOTHING: ValueSet = ()
_SETTINGS = re.compile(
    r"(Config|Configuration|Cfg|Exp|Experiment|Options|Opts|Settings|Args|Arguments|HParams|Params)$"
)


def attribute_of_class(ev: Evaluator, kind: Class, name: str) -> ValueSet:
    """Return what `Class.name` may be."""
    if (method := method_of(ev, kind, name)) is not None:
        bound = method.scope.is_decorated_as("classmethod")
        return known(Function(method.file, method.scope, Possibility(kind) if bound else None))
    if name == "apply" and (forward := run_by_apply(ev, kind)) is not None:
        return known(forward)
    return _class_level(ev, kind, name)


def attribute_of_instance(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    """Return what an object's attribute may be: what the code of its class stores there, or a class attribute."""
    assert isinstance(owner.value, Instance)
    found = _attribute_of_instance(ev, place, owner, name)
    for here, there in owner.value.moves:
        found = transferred(ev, found, here, there)
    return beside_module(ev, place, owner, found)


def _attribute_of_instance(ev: Evaluator, place: Place, owner: Possibility, name: str) -> ValueSet:
    assert isinstance(owner.value, Instance)
    kind, owner = owner.value.kind, typical(ev, owner)
    near, is_open = stored_here(ev, place, name)
    if near and not is_open:
        return near
    if stored := either(near, *_stored_by_class(ev, place, owner, name)):
        if _is_stored_by(place, name) and (method := method_of(ev, kind, name, owner)) is not None:
            stored = either(stored, _method_or_property(ev, method, owner))
        return _as_setting(ev, kind, name, _with_outside(ev, kind, name, stored))
    if (method := method_of(ev, kind, name, owner)) is not None:
        return _method_or_property(ev, method, owner)
    found = filled_in_bulk(ev, owner, name, partial(constructing, ev))
    found = found or given_for_field(ev, owner, name) or _class_level(ev, kind, name)
    return _as_setting(ev, kind, name, found)


def _with_outside(ev: Evaluator, kind: Class, name: str, found: ValueSet) -> ValueSet:
    """Add what code outside the class stores, if that may decide a test in the class."""
    if not all(isinstance(one.value, Literal) for one in found):
        return found
    return either(found, *stored_outside(ev, kind, name))


def _as_setting(ev: Evaluator, kind: Class, name: str, found: ValueSet) -> ValueSet:
    """Add that a setting may be anything if options may be set: `exp.ema`, a dataclass's field."""
    if not found or not all(isinstance(one.value, Literal) for one in found) or not _holds_settings(ev, kind):
        return found
    return found if is_about_device(name) and ev.has_defaults else either(found, UNKNOWN)


def _holds_settings(ev: Evaluator, kind: Class) -> bool:
    if is_dataclass(kind):
        return True
    if any(_parses_options(one) for one in family(ev, kind) if isinstance(one, Class)):
        return False
    names = (base.rpartition(".")[2] if isinstance(base, str) else base.scope.name for base in family(ev, kind))
    return any(_SETTINGS.search(one) for one in names)


def _parses_options(kind: Class) -> bool:
    """Tell whether a class declares options: then settings are in what it parses, and not in itself."""
    index = kind.file.index
    return any(index.home[at][0].scope.outer is kind.scope for _, at in index.calls("add_argument"))


def _method_or_property(ev: Evaluator, method: Function, owner: Possibility) -> ValueSet:
    decorators = {
        node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in method.scope.decorators
    }
    if decorators & {"property", "cached_property"}:
        return ev.returned(method, Frame(method.scope, None, owner))
    return known(Function(method.file, method.scope, None if "staticmethod" in decorators else owner))


def _class_level(ev: Evaluator, kind: Class, name: str) -> ValueSet:
    for one in family(ev, kind):
        if not isinstance(one, Class):
            continue
        found = [
            taken(ev, ev.evaluate(Place(one.file, b.value, b.statement)), b)
            for b in one.scope.bindings.get(name, [])
            if b.kind == "assign" and b.value is not None
        ]
        if found := set_from_outside(ev, one, name, found):
            return either(*found)
        if annotated := _annotated(ev, one, name):
            return annotated
    return ()


def _annotated(ev: Evaluator, kind: Class, name: str) -> ValueSet:
    """Return what a field that is only annotated may be: `device: str` in a dataclass."""
    for statement in kind.scope.node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=found), annotation=annotation, value=None) if found == name:
                return value_of_annotation(ev, Place(kind.file, annotation, statement))
    return ()


def _is_stored_by(place: Place, name: str) -> bool:
    """Tell whether a statement stores what it reads: `self.step = torch.compile(self.step)` reads the method."""
    node = place.expression
    stores = place.file.index.attribute_stores(name) if isinstance(node, ast.Attribute) else ()
    return any(
        isinstance(node, ast.Attribute)
        and one.statement is place.statement
        and written(one.target) == written(node.value)
        for one in stores
    )


def stored_here(ev: Evaluator, place: Place, name: str) -> tuple[ValueSet, bool]:
    """Return what `self.name = …` earlier in the same function stored, and whether an older value may remain."""
    if not isinstance(place.expression, ast.Attribute) or not is_dotted_name(place.expression):
        return (), True
    scope, receiver = place.scope, written(place.expression.value)
    stores = [
        store
        for store in place.file.index.attribute_stores(name)
        if place.file.index.home[store.statement][0].scope is scope and written(store.target) == receiver
    ]
    if not stores:
        return (), True
    reached = reaching(place.file.index, stores, place.statement, ev.decide(place))
    here = (Place(place.file, store.target, store.statement, place.frame, place.given) for store in reached.definitions)
    found = [_value(ev, at, store) for at, store in zip(here, reached.definitions, strict=True)]
    if len(found) > 1:
        text = f"{receiver}.{name}"
        found = [past_replacing(ev, place, text, stores, *one) for one in zip(reached.definitions, found, strict=True)]
    return either(*found), reached.open


def _stored_by_class(ev: Evaluator, place: Place, owner: Possibility, name: str) -> Iterator[ValueSet]:
    """Yield what the methods of a class, and of each of its bases, store in `self.name`."""
    of_self = isinstance(place.expression, ast.Attribute) and is_self(place.expression.value)
    # There are many queries for attributes of objects, and most of their classes have none of that name.
    for kind, stores in _stores_of(ev, owner, name):
        given = facts_for_others(place, kind.file, of_same_object=of_self)
        later = tuple(store for store, _ in stores if is_wrapped_later(place, store))
        yield _stored(ev, owner, name, kind, given, later)


@tabled(_NOTHING, in_order)
def _stored(
    ev: Evaluator, owner: Possibility, name: str, kind: Class, given: Given, later: tuple[Store, ...]
) -> ValueSet:
    """Return what the methods of one class store in `self.name`, but for some stores.

    n methods that read an attribute, and store it, take n evaluations of what is stored, and not n for each read.
    """
    stores = next(stores for one, stores in _stores_of(ev, owner, name) if one == kind)
    return either(
        *(
            _value(ev, Place(kind.file, store.target, store.statement, frame, given), store)
            for store, frame in stores
            if store not in later
        )
    )


@tabled(_NO_STORES)
def _stores_of(ev: Evaluator, owner: Possibility, name: str) -> tuple[_Stores, ...]:
    """Return the stores into an attribute of an object that may have run, each with its frame, by class."""
    assert isinstance(owner.value, Instance)
    classes = [one for one in family(ev, owner.value.kind) if isinstance(one, Class)]
    found: list[_Stores] = []
    for number, kind in enumerate(classes):
        stores: list[tuple[Store, Frame | None]] = []
        for store in kind.file.stores.own(kind.scope, name):
            method = kind.file.index.home[store.statement][0].scope
            is_lost = not is_seen_by_others(kind.file.index, store) or not may_have_run(ev, owner, method)
            if not is_lost and not is_replaced(ev, method, kind, classes[:number]):
                stores.append((store, constructing(ev, method, owner) or inheriting(ev, method, owner, store)))
        found += [(kind, tuple(stores))] if stores else []
    return tuple(found)


def _value(ev: Evaluator, place: Place, store: Store) -> ValueSet:
    if store.value is None:
        return ()
    value = ev.evaluate(place.at(store.value))
    if store.kind == "augment" and isinstance(store.statement, ast.AugAssign):
        before = ev.evaluate(place.at(store.statement.target))
        return combine_in_place(ev, before, store.statement, value, place.at(store.value))
    if store.kind == "iterate":
        value = elements_of(ev, value)
    return taken(ev, value, store)
