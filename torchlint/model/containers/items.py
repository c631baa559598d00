"""Reads of containers: items by key, elements in iteration, parts in unpacking."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.containers.displays import all_displayed, displayed, lacks
from torchlint.model.containers.module_containers import is_container, module_at, modules_in
from torchlint.model.parallel.device_transfer import transferred
from torchlint.model.place import Place
from torchlint.model.roles import LOADERS, is_made_as
from torchlint.model.tensors.batches import batches_of
from torchlint.model.tensors.encodings import part_of_encoding
from torchlint.model.training.grad_mode import without_graph
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import (
    CUT,
    UNKNOWN,
    Array,
    Built,
    Class,
    Display,
    Function,
    Instance,
    Iterator,
    Literal,
    Number,
    Possibility,
    Tensor,
    Text,
    Tuple,
    Unknown,
    Value,
    ValueSet,
    known,
)
from torchlint.pytorch.companions.transformers import ENCODING
from torchlint.pytorch.dimensions import WITH_INDICES
from torchlint.pytorch.symbols import MODULE, MODULE_DICT
from torchlint.syntax.arguments import has_star
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.scope import Binding, Selector, Store
from torchlint.syntax.unpacking import unpacked_into

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Settings in files choose among them; an option's default is what most run.
_CALLED = (Class, Function)
_KEYS = {"values": 0, "indices": 1}


def only_key(keys: ValueSet) -> object:
    """Return the one constant that a key may be, whatever else it may be; None if there is none, or several."""
    constants = {one.value.value for one in keys if isinstance(one.value, Literal)}
    return next(iter(constants)) if len(constants) == 1 else None


def item_under(ev: Evaluator, container: Possibility, keys: ValueSet) -> ValueSet:
    """Return what a container holds under the possible keys; an unknown key may be any that it has."""
    key = only_key(keys)
    if all(isinstance(one.value, Literal) for one in keys):
        return item(ev, container, key)
    by_default = () if lacks(container, key) else item(ev, container, key)
    if not by_default or (_is_setting(keys) and all(isinstance(one.value, _CALLED) for one in by_default)):
        return either(by_default, item(ev, container, None))
    return by_default


def _is_setting(keys: ValueSet) -> bool:
    """Tell whether a key is read from an object for settings: `cfg.MODEL.NAME = "small"`."""
    statements = (one.origin.statement for one in keys if one.origin is not None and isinstance(one.value, Literal))
    return any(
        isinstance(one, ast.Assign) and any(isinstance(target, ast.Attribute) for target in one.targets)
        for one in statements
    )


def item(ev: Evaluator, container: Possibility, key: object) -> ValueSet:
    """Return what a container holds under a key; None for an unknown key."""
    match container.value:
        case Tensor() | Array() | Number() as value:
            return known(_indices_of(value, key, container.origin) or value, container.origin)
        case Iterator(items=items):
            return items
        case Tuple(items=items):
            if isinstance(key, int) and -len(items) <= key < len(items):
                return items[key]
            return either(*items)
        case Display(place=place) as display:
            return _as_passed(ev, display, displayed(ev, place, key))
        case Built() as value:
            return _of_built(ev, container, value, key)
        case Literal(value=str()) | Text():
            return known(Text())
        case Unknown(is_cut=True):
            return CUT
        case _:
            return UNKNOWN


def _of_built(ev: Evaluator, container: Possibility, value: Built, key: object) -> ValueSet:
    if value.name == ENCODING:
        return part_of_encoding(container)
    if value.name == MODULE:
        return (container,)
    return module_at(ev, container, key) if is_container(value) else UNKNOWN


def _as_passed(ev: Evaluator, display: Display, found: ValueSet) -> ValueSet:
    """Return what a display holds as it came here: without graphs, or on another device."""
    for here, there in display.moves:
        found = transferred(ev, found, here, there)
    return found if display.is_recorded else without_graph(found)


def named_item(container: Possibility, name: str) -> ValueSet:
    """Return the values or indices that a call returns, by their names: `x.max(1).values`."""
    if name not in _KEYS or not _has_indices(container.origin):
        return UNKNOWN
    return known(_indices_of(container.value, _KEYS[name], container.origin) or container.value, container.origin)


def _indices_of(value: Value, key: object, made: Place | None) -> Tensor | None:
    """Return the indices that a call returns along with the values, integers without a graph: `_, i = x.max(1)`."""
    if not isinstance(value, Tensor) or key != 1 or not _has_indices(made):
        return None
    return replace(value, graph=False)


def _has_indices(made: Place | None) -> bool:
    call = made and made.expression
    return isinstance(call, ast.Call) and callee_name(call) in WITH_INDICES


def elements_of_one(ev: Evaluator, one: Possibility) -> ValueSet:
    """Return what iterating over one thing yields; objects of the project yield what their bases do."""
    match one.value:
        case Tensor() | Array() as value:
            return known(value, one.origin)
        case Iterator(items=items):
            return items
        case Tuple(items=items):
            return either(*items)
        case Display(place=place) as display:
            return _as_passed(ev, display, all_displayed(ev, place))
        case Built(name=name) if name == MODULE_DICT:
            return known(Text())
        case Built() as value if is_container(value):
            return modules_in(ev, one)
        case Built() | Instance() if any(is_made_as(ev, one.value, role) for role in LOADERS):
            return batches_of(ev, one)
        case Literal(value=str()):
            return known(Text())
        case Unknown(is_cut=True):
            return CUT
        case _:
            return UNKNOWN


def taken(ev: Evaluator, value: ValueSet, one: Binding | Store) -> ValueSet:
    """Return what an unpacking target receives of a value, without possibilities that have another length."""
    width = unpacked_into(one.statement, one.value) if one.selector else None
    return select(ev, value if width is None else _of_width(value, width), one.selector)


def _of_width(possible: ValueSet, width: int) -> ValueSet:
    """Return what may be unpacked into so many parts; if a tuple fits, a tensor's rows are not meant."""
    widths = [_width_of(one.value) for one in possible]
    if width not in widths:
        return possible
    return tuple(one for one, found in zip(possible, widths, strict=True) if found in {width, None})


def _width_of(value: Value) -> int | None:
    """Return how many items there are to unpack, None if unknown; that of a tensor is never known."""
    match value:
        case Tuple(items=items):
            return len(items)
        case Display(place=Place(expression=ast.Tuple(elts=parts))) if not has_star(parts):
            return len(parts)
        case Tensor() | Array():
            return 0
        case _:
            return None


def select(ev: Evaluator, possible: ValueSet, selector: Selector) -> ValueSet:
    """Return the part of a value that a target takes when it is unpacked."""
    for position in selector:
        possible = either(*(_part(ev, one, position) for one in possible))
    return possible


def _part(ev: Evaluator, one: Possibility, position: int | None) -> ValueSet:
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
