"""What a tensor on the host is made from: a factory call here, an attribute, a batch, or an argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Function, Imported, Tensor
from torchlint.model.values.values_of_names import with_values_of_names
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.factories import FACTORIES
from torchlint.syntax.arguments import passed
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


_NONE: tuple[Place, ...] = ()


def roots(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield the factory calls, attributes and parameters that a tensor on the host is made from."""
    match place.expression:
        case ast.Name():
            yield from _of_name(ev, place)
        case ast.Attribute(value=value) if _is_hosted(ev, place.at(value)):
            yield from roots(ev, place.at(value))
        case ast.Attribute() if _stored_here(ev, place):
            yield from _of_stores(ev, place)
        case ast.Subscript(value=value):
            yield from roots(ev, place.at(value))
        case ast.Call() as call:
            yield from _of_call(ev, place, call)
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.List() | ast.Tuple() as node:
            yield from _among(ev, place, _operands(node))
        case _:
            yield place


@tabled(_NONE)
def _of_stores(ev: Evaluator, attribute: Place) -> tuple[Place, ...]:
    return tuple(root for stored in _stored_here(ev, attribute) for root in roots(ev, stored))


def _operands(node: ast.expr) -> list[ast.expr]:
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]


def is_factory(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place is a call that makes a tensor from nothing, by default on the host."""
    return isinstance(place.expression, ast.Call) and any(
        isinstance(one.value, Imported) and canonical(one.value.name) in FACTORIES
        for one in ev.evaluate(place.at(place.expression.func))
    )


def is_made_beside(ev: Evaluator, factory: Place) -> bool:
    """Tell whether a factory makes its tensor on another tensor's device: `device=x.device`."""
    device = passed(factory.expression, "device")
    if isinstance(device, ast.Name):
        bindings = factory.scope.bindings.get(device.id, ())
        values = [Place(factory.file, one.value, one.statement, factory.frame) for one in bindings if one.value]
    else:
        values = [factory.at(device)] if device is not None else []
    return bool(values) and all(_is_device_of_tensor(ev, one) for one in values)


def is_made_for_caller(factory: Place) -> bool:
    """Tell whether a factory makes its tensor where the callers of its function say: `device=device`."""
    device = passed(factory.expression, "device")
    names = {one.name for one in factory.scope.parameters}
    return isinstance(device, ast.Name) and device.id in names and len(factory.scope.bindings[device.id]) == 1


def _is_device_of_tensor(ev: Evaluator, device: Place) -> bool:
    match device.expression:
        case ast.Attribute(value=owner, attr="device"):
            return any(isinstance(one.value, Tensor) for one in ev.evaluate(device.at(owner)))
        case _:
            return False


def _is_hosted(ev: Evaluator, place: Place) -> bool:
    return any(isinstance(one.value, Tensor) and one.value.device == HOST for one in ev.evaluate(place))


def _among(ev: Evaluator, place: Place, parts: list[ast.expr]) -> Iterator[Place]:
    for part in parts:
        if _is_hosted(ev, place.at(part)):
            yield from roots(ev, place.at(part))


@tabled(_NONE)
def _of_name(ev: Evaluator, place: Place) -> tuple[Place, ...]:
    if (source := _comprehended(place, place.code)) is not None:
        return tuple(roots(ev, source))
    bindings = place.scope.bindings.get(place.code, [])
    reached = reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions if bindings else ()
    values = [
        Place(place.file, one.value, one.statement, place.frame)
        for one in reached
        if one.kind in {"assign", "iterate"} and one.value is not None and one.statement is not place.statement
    ]
    return tuple(root for value in values for root in roots(ev, value)) if values else (place,)


def _comprehended(place: Place, name: str) -> Place | None:
    """Return what a comprehension around a name iterates over for it."""
    parents = place.file.parents_in(place.statement)
    child: ast.AST = place.expression
    while (parent := parents.get(child)) is not None:
        if isinstance(parent, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            for generator in parent.generators:
                if isinstance(generator.target, ast.Name) and generator.target.id == name:
                    return place.at(generator.iter)
        child = parent
    return None


def _stored_here(ev: Evaluator, place: Place) -> list[Place]:
    """Return what the same call of the function stored in the attribute, if that is certain."""
    node = place.expression
    assert isinstance(node, ast.Attribute)
    index = place.file.index
    stores = [
        store
        for store in index.attribute_stores(node.attr)
        if index.home[store.statement][0].scope is place.scope
        and written(store.target) == written(node.value)
        and store.statement is not place.statement
    ]
    reached = reaching(index, stores, place.statement, ev.decide(place)) if stores else None
    if reached is None or reached.open:
        return []
    return [Place(place.file, one.value, one.statement, place.frame) for one in reached.definitions if one.value]


def passes_through(place: Place, nodes: frozenset[ast.expr]) -> bool:
    """Tell whether an expression, or what its names were assigned in the function, contains one of these."""
    if not nodes:
        return False
    return any(part in nodes for one in with_values_of_names(place) for part in walk(one.expression))


def _of_call(ev: Evaluator, place: Place, call: ast.Call) -> Iterator[Place]:
    if is_factory(ev, place):
        yield place
        return
    functions = [one.value for one in ev.evaluate(place.at(call.func)) if isinstance(one.value, Function)]
    if functions:
        yield from (root for function in functions for root in _of_result(ev, function))
        return
    parts = [*call.args, *(word.value for word in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        parts.insert(0, call.func.value)
    yield from _among(ev, place, parts)


@tabled(_NONE)
def _of_result(ev: Evaluator, function: Function) -> tuple[Place, ...]:
    returned = (Place(function.file, one.value, one) for one in function.scope.returns if one.value is not None)
    return tuple(root for place in returned for root in roots(ev, place))
