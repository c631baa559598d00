"""What moves with a module: its parameters, its buffers, and the modules assigned to it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, is_module
from torchlint.model.modules.construction import is_being_made
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    HOST,
    Built,
    Class,
    Device,
    Imported,
    Instance,
    Possibility,
    Tensor,
    Unknown,
    Value,
    ValueSet,
    known,
)
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.layers import OWN_TENSORS, WITH_WEIGHT, is_bare
from torchlint.pytorch.module_attributes import REGISTERING_TENSORS
from torchlint.pytorch.symbols import BUFFER, MODULE, NN, PARAMETER, UNINITIALIZED
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Store

PARAMETERS = frozenset({PARAMETER, BUFFER, UNINITIALIZED})
"""The constructors of tensors that a module registers when they are assigned to it."""


def as_registered(ev: Evaluator, place: Place, owner: Possibility, name: str, found: ValueSet) -> ValueSet:
    """Return what an attribute of an object may be, given that parameters and buffers move with their module."""
    if not isinstance(owner.value, Instance) or not is_module(ev, owner.value):
        return found
    if is_buffer(ev, owner.value.kind, name):
        made = [one for given in _registered(ev, owner.value.kind, name) for one in ev.evaluate(given)]
        buffer = Tensor(_along(ev, place, made), False)
        return tuple(dict.fromkeys(Possibility(buffer, one.origin, one.story) for one in made)) or known(buffer)
    if name in OWN_TENSORS and all(isinstance(one.value, Unknown) for one in found) and _is_layer(ev, owner.value.kind):
        return known(Tensor(_along(ev, place, ()), True))
    return tuple(
        Possibility(Tensor(_along(ev, place, _wrapped(ev, one)), True), one.origin, one.story)
        if is_parameter(ev, one)
        else one
        for one in found
    )


def _is_layer(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a class inherits from a layer of PyTorch with a weight."""
    bases = (base for base in family(ev, kind) if isinstance(base, str) and base.startswith(NN))
    return any(base.removeprefix(NN) in WITH_WEIGHT for base in bases)


def _wrapped(ev: Evaluator, parameter: Possibility) -> Iterator[Possibility]:
    """Yield the data of a parameter: `x` of `nn.Parameter(x)`."""
    assert parameter.origin is not None
    if (data := passed(parameter.origin.expression, "data", 0)) is not None:
        yield from ev.evaluate(parameter.origin.at(data))


def _along(ev: Evaluator, place: Place, made: Iterable[Possibility]) -> Device | None:
    """Return where an attribute is that moves with its module: one that was never moved is where it was made.

    Until its module is constructed, an attribute is where it was `made`.
    """
    match place.expression:
        case ast.Attribute(value=module) if not is_self(module):
            where = ev.residence(place.at(module))
            return where if where in {None, HOST} else Device()
        case _:
            return _only_device(made) if is_being_made(ev, place.file, place.scope) else Device()


def _only_device(possible: Iterable[Possibility]) -> Device | None:
    """Return where all of several tensors are, or None if that is open."""
    devices = {one.value.device if isinstance(one.value, Tensor) else None for one in possible}
    return devices.pop() if len(devices) == 1 else None


def is_buffer(ev: Evaluator, kind: Class, name: str) -> bool:
    """Tell whether a class or one of its bases registers a buffer or parameter by that name."""
    return any(True for _ in _registered(ev, kind, name))


def registered_values(ev: Evaluator, kind: Class, name: str) -> Iterator[Place]:
    """Yield what a class and its bases register by a name: buffers, and the data of parameters."""
    yield from _registered(ev, kind, name)
    for one in (one for one in family(ev, kind) if isinstance(one, Class)):
        for store in one.file.index.attribute_stores(name):
            if store.value is not None and _is_in(one, store.statement):
                yield from _data_of(ev, Place(one.file, store.value, store.statement))


def _data_of(ev: Evaluator, value: Place) -> Iterator[Place]:
    for one in ev.evaluate(value):
        if is_parameter(ev, one) and one.origin is not None:
            yield one.origin.at(passed(one.origin.expression, "data", 0) or one.origin.expression)


def _registered(ev: Evaluator, kind: Class, name: str) -> Iterator[Place]:
    """Yield what a class and its bases register by a name; the call itself if they pass nothing."""
    for one in (one for one in family(ev, kind) if isinstance(one, Class)):
        for call, statement in (pair for method in REGISTERING_TENSORS for pair in one.file.calls_naming(method, name)):
            if _is_in(one, statement):
                yield Place(one.file, passed(call, "tensor", 1) or passed(call, "param") or call, statement)


def is_parameter(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether a tensor is a parameter, as `nn.Parameter(…)` makes it."""
    if not isinstance(one.value, Tensor) or one.origin is None or not isinstance(one.origin.expression, ast.Call):
        return False
    callees = ev.evaluate(one.origin.at(one.origin.expression.func))
    return any(isinstance(callee.value, Imported) and canonical(callee.value.name) in PARAMETERS for callee in callees)


@tabled(False)
def has_parameters(ev: Evaluator, value: Value) -> bool:
    """Tell whether a module has parameters or buffers, as far as its class shows; a loss or activation has none."""
    match value:
        case Built(name=name):
            return not is_bare(name)
        case Instance(kind=kind):
            return any(_has_own(ev, one) for one in family(ev, kind))
        case _:
            return True


def _has_own(ev: Evaluator, kind: Class | str) -> bool:
    if isinstance(kind, str):
        return kind != MODULE and not is_bare(kind)
    if any(_is_in(kind, statement) for name in REGISTERING_TENSORS for _, statement in kind.file.index.calls(name)):
        return True
    return any(_is_carried(ev, kind, store) for store in kind.file.index.stores if _is_in(kind, store.statement))


def _is_in(kind: Class, statement: ast.stmt) -> bool:
    return kind.file.index.home[statement][0].scope.outer is kind.scope


def _is_carried(ev: Evaluator, kind: Class, store: Store) -> bool:
    """Tell whether a store into an attribute gives the module something that moves with it."""
    if store.value is None or not isinstance(store.key, str):
        return False
    for one in ev.evaluate(Place(kind.file, store.value, store.statement)):
        if is_parameter(ev, one) or (is_module(ev, one.value) and has_parameters(ev, one.value)):
            return True
    return False
