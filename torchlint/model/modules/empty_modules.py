"""Modules that surely have neither parameters nor buffers: moving one does nothing, and needs no device.

`nn.CrossEntropyLoss().cuda()` runs without a GPU (torch 2.13); with `weight=`, which is a buffer, it raises.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module, method_of
from torchlint.model.containers.lists import added_to, kept_as, stores_into
from torchlint.model.containers.module_containers import is_container
from torchlint.model.modules.flags import is_flag
from torchlint.model.modules.registered import is_parameter
from torchlint.model.modules.settings import is_setting
from torchlint.model.parallel.wrappers import inside
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    Built,
    Class,
    Frame,
    Instance,
    Literal,
    Number,
    Possibility,
    Text,
    Unknown,
    Value,
)
from torchlint.pytorch.layers import is_bare
from torchlint.pytorch.module_attributes import REGISTERING_MODULES, REGISTERING_TENSORS
from torchlint.pytorch.modules import MODULE_SPACES
from torchlint.pytorch.symbols import MODULE
from torchlint.pytorch.wrappers import WRAPPERS
from torchlint.syntax.arguments import has_open_keywords

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope, Store

_REGISTERING = (*REGISTERING_TENSORS, *REGISTERING_MODULES, "setattr")


@tabled(False)
def is_empty(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something is surely a module, and one without parameters and buffers."""
    match one.value:
        case Built(name=name) if name in WRAPPERS:
            return _wraps_nothing(ev, one)
        case Built() if is_container(one.value):
            return _holds_nothing(ev, one.origin)
        case Built(name=name) if name.startswith(MODULE_SPACES):
            return is_bare(name) and not _is_weighted(ev, one.origin)
        case Instance(kind=kind) if is_module(ev, one.value):
            bases = list(family(ev, kind))
            own = (_registers_nothing(ev, one, base) for base in bases if base not in WRAPPERS)
            return all(own) and (WRAPPERS.keys().isdisjoint(bases) or _wraps_nothing(ev, one))
        case _:
            return False


def _wraps_nothing(ev: Evaluator, wrapper: Possibility) -> bool:
    """Tell whether the module in a wrapper has nothing to move."""
    wrapped = inside(ev, wrapper)
    return bool(wrapped) and all(is_empty(ev, one) for one in wrapped or ())


def _holds_nothing(ev: Evaluator, made: Place | None) -> bool:
    """Tell whether a container gets nothing that moves with it, neither as arguments nor afterwards."""
    call = made.expression if made is not None else None
    if made is None or not isinstance(call, ast.Call) or call.keywords or _is_filled(made, call):
        return False
    given = [ev.evaluate(made.at(argument)) for argument in call.args]
    return all(possible and all(is_empty(ev, one) for one in possible) for possible in given)


def _is_filled(made: Place, call: ast.Call) -> bool:
    """Tell whether something may be added to a container later; subclasses may fill an empty attribute."""
    if any(True for _ in added_to(made)) or any(True for _ in stores_into(made)):
        return True
    return not call.args and "." in (kept_as(made) or "")


def _is_weighted(ev: Evaluator, made: Place | None) -> bool:
    """Tell whether a loss may have weights, its first argument or a keyword."""
    call = made.expression if made is not None else None
    if made is None or not isinstance(call, ast.Call) or has_open_keywords(call):
        return True
    given = [*call.args] if "Loss" in ast.dump(call.func) else []
    given += [word.value for word in call.keywords if "weight" in (word.arg or "")]
    return any(_may_be_tensor(ev, made.at(one)) for one in given)


def _may_be_tensor(ev: Evaluator, place: Place) -> bool:
    possible = ev.evaluate(place)
    return not possible or not all(isinstance(one.value, (Literal, Number, Text)) for one in possible)


def _registers_nothing(ev: Evaluator, one: Possibility, kind: Class | str) -> bool:
    """Tell whether no method of a class stores anything in an object that moves with it."""
    if isinstance(kind, str):
        return kind == MODULE
    index = kind.file.index
    if any(index.home[at][0].scope.outer is kind.scope for name in _REGISTERING for _, at in index.calls(name)):
        return False
    stores = [store for store in index.stores if index.home[store.statement][0].scope.outer is kind.scope]
    return all(_does_not_move(ev, one, kind.file, store) for store in stores)


def _does_not_move(ev: Evaluator, one: Possibility, file: ParsedFile, store: Store) -> bool:
    """Tell whether the value of an attribute surely does not move with its module."""
    if store.value is None:
        return False
    place = Place(file, store.value, store.statement)
    place = place.within(_making(ev, one, place.scope))
    possible = ev.evaluate(place)
    return bool(possible) and all(
        is_empty(ev, part)
        if is_module(ev, part.value)
        else _is_plain(place, store, part.value) and not is_parameter(ev, part)
        for part in possible
    )


def _making(ev: Evaluator, one: Possibility, method: Scope) -> Frame | None:
    """Return the call that made an object, if it runs a method with its arguments."""
    assert isinstance(one.value, Instance)
    origin = one.origin
    if method.name != "__init__" or origin is None or not isinstance(origin.expression, ast.Call):
        return None
    first = method_of(ev, one.value.kind, "__init__")
    return Frame(method, origin, one) if first is not None and first.scope is method else None


def _is_plain(place: Place, store: Store, value: Value) -> bool:
    if not isinstance(value, Unknown) or not isinstance(store.key, str):
        return not isinstance(value, Unknown)
    is_called = any(True for _ in place.file.index.calls(store.key))
    return is_flag(place.file, store.key) or (is_setting(place) and not is_called)
