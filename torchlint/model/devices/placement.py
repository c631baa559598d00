"""Where a module's parameters are when it is wrapped."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.devices.current import current_devices
from torchlint.model.devices.literals import is_data_type, is_none, tensor_device
from torchlint.model.devices.moving import device_argument, moved_in_place
from torchlint.model.place import Place
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import SOME_INDEX, Device, Function, Text
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.scope import Binding, BindingKind, Store
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@dataclass(frozen=True, slots=True)
class Move:
    """A call that moves a module in place, or a binding of its name: the last one determines where it is."""

    statement: ast.stmt
    kind: BindingKind
    call: ast.Call


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The device that a module is on, and the call that moved it there."""

    kind: str
    indices: frozenset[int]
    """The GPUs that it may be on, several if the current one depends on the caller; none if unknown."""
    moved_at: Place


_UNMOVED: tuple[Whereabouts | None, bool] = (None, False)
_UNKNOWN: Whereabouts | None = None


@tabled(_UNKNOWN)
def whereabouts(ev: Evaluator, module: Place) -> Whereabouts | None:
    """Return where a module is when an expression is evaluated, or None if that is unknown or it was never moved."""
    match module.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) as call:
            if name in MOVES and _names_device(ev, module.at(call), name):
                return _moved(ev, module.at(call), name)
            return _of_call(ev, module) or whereabouts(ev, module.at(owner))
        case ast.Call():
            return _of_call(ev, module)
        case ast.Name() | ast.Attribute():
            return _of_name(ev, module)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            outcome = ev.decide(module)(test, module.statement)
            arms = {True: (body,), False: (orelse,), None: (body, orelse)}[outcome]
            return _agreed([whereabouts(ev, module.at(arm)) for arm in arms])
        case _:
            return None


def moved_afterwards(ev: Evaluator, wrapped: Place) -> tuple[Whereabouts | None, bool]:
    """Return where a wrapper is moved after it was made, and whether it may be moved in an unknown way."""
    parents = wrapped.file.parents_in(wrapped.statement)
    attribute = parents.get(wrapped.expression)
    if isinstance(attribute, ast.Attribute) and attribute.attr in MOVES:
        call = parents.get(attribute)
        assert isinstance(call, ast.expr)
        return _moved(ev, wrapped.at(call), attribute.attr), True
    if isinstance(wrapped.statement, ast.Return) and wrapped.statement.value is wrapped.expression:
        return _moved_by_callers(ev, wrapped)
    name = _bound_to(wrapped)
    later = [] if name is None else list(_later_moves(wrapped, name))
    if not later:
        return None, False
    block, _ = wrapped.file.index.home[wrapped.statement]
    call, statement = later[0]
    at_once = wrapped.file.index.home[statement][0] is block
    assert isinstance(call.func, ast.Attribute)
    return _moved(ev, Place(wrapped.file, call, statement), call.func.attr) if at_once else None, True


@tabled(_UNMOVED)
def _moved_by_callers(ev: Evaluator, wrapped: Place) -> tuple[Whereabouts | None, bool]:
    """Return where the callers of a function move the wrapper that it returns."""
    function = Function(wrapped.file, wrapped.scope)
    outcomes = [moved_afterwards(ev, caller.place) for caller in ev.callers(function)]
    is_moved = any(moved for _, moved in outcomes)
    return _agreed([where for where, _ in outcomes]) if is_moved else None, is_moved


def _of_call(ev: Evaluator, call: Place) -> Whereabouts | None:
    """Return where the module that a function of the project returns is."""
    assert isinstance(call.expression, ast.Call)
    functions = [one.value for one in ev.evaluate(call.at(call.expression.func)) if isinstance(one.value, Function)]
    returned = (place for function in functions for place in _returned(call, function))
    return _agreed([whereabouts(ev, place) for place in returned])


def _returned(call: Place, function: Function) -> Iterator[Place]:
    frame = frame_for(call, function, FRAME_DEPTH)
    for statement in function.scope.returns if frame is not None else ():
        if statement.value is not None:
            yield Place(function.file, statement.value, statement, frame)


def _of_name(ev: Evaluator, module: Place) -> Whereabouts | None:
    """Return where the module of a name or attribute is, by what last happened to it in the function."""
    index = module.file.index
    match module.expression:
        case ast.Name(id=name):
            definitions: list[Binding | Store | Move] = [*module.scope.bindings.get(name, ())]
        case ast.Attribute(attr=name):
            stores = (store for store in index.attribute_stores(name) if _is_same(module, store))
            definitions = [*stores]
        case _:
            return None
    definitions += moves_of(module, written(module.expression))
    reached = reaching(index, definitions, module.statement, ev.decide(module)).definitions
    return _agreed([_by_definition(ev, module, one) for one in reached])


def _is_same(module: Place, store: Store) -> bool:
    """Tell whether a store is into the attribute that a place reads, in the same function."""
    assert isinstance(module.expression, ast.Attribute)
    in_scope = module.file.index.home[store.statement][0].scope is module.scope
    return in_scope and written(store.target) == written(module.expression.value)


def _by_definition(ev: Evaluator, module: Place, one: Binding | Store | Move) -> Whereabouts | None:
    if isinstance(one, Move):
        assert isinstance(one.call.func, ast.Attribute)
        return _moved(ev, Place(module.file, one.call, one.statement, module.frame), one.call.func.attr)
    if isinstance(one, Binding) and one.kind == "parameter":
        return _by_callers(ev, module, one)
    if one.value is None or one.selector or one.kind != "assign":
        return None
    return whereabouts(ev, Place(module.file, one.value, one.statement, module.frame))


def _by_callers(ev: Evaluator, module: Place, one: Binding) -> Whereabouts | None:
    function = module.file.index.scope_of(one.statement)
    parameter = next(p for p in function.parameters if p.name == one.name)
    callers = ev.callers(Function(module.file, function))
    passed = (argument for caller in callers for argument in caller.argument(parameter) or ())
    return _agreed([whereabouts(ev, argument) for argument in passed])


def _agreed(found: list[Whereabouts | None]) -> Whereabouts | None:
    """Return the answer that all paths agree on, or None."""
    first = found[0] if found else None
    if first is None or any(one is None or (one.kind, one.indices) != (first.kind, first.indices) for one in found):
        return None
    return first


def moves_of(module: Place, name: str) -> Iterator[Move]:
    """Yield the statements of a function that move a module in place: `model.cuda(1)`, `model.cuda().eval()`."""
    for method in sorted(MOVES):
        for call, statement in module.file.index.calls(method):
            owner = moved_in_place(call, statement)
            is_here = module.file.index.home[statement][0].scope is module.scope
            if is_here and owner is not None and written(owner) == name:
                yield Move(statement, "assign", call)


def _moved(ev: Evaluator, call: Place, method: str) -> Whereabouts | None:
    """Return where `.to(…)`, `.cuda(…)` or `.cpu()` moves a module; None if its device is missing or unknown."""
    assert isinstance(call.expression, ast.Call)
    if method == "cpu":
        return Whereabouts("cpu", frozenset(), call)
    argument = device_argument(call.expression, method)
    named = ev.evaluate(call.at(argument)) if argument is not None else ()
    device = Device("cuda") if argument is None and method == "cuda" else tensor_device(named)
    # The index of `f"cuda:{rank}"` is unknown.
    if device is None or device.index == SOME_INDEX or any(isinstance(one.value, Text) for one in named):
        return None
    if device.index is not None:
        return Whereabouts(device.kind, frozenset({device.index}), call)
    current = current_devices(ev, call) if device.kind == "cuda" else frozenset()
    return None if current is None else Whereabouts(device.kind, current, call)


def _names_device(ev: Evaluator, call: Place, method: str) -> bool:
    """Tell whether a call moves a module, maybe to an unknown device: `to(torch.float16)` leaves it where it is."""
    assert isinstance(call.expression, ast.Call)
    argument = device_argument(call.expression, method)
    if argument is None:
        return method != "to"
    values = ev.evaluate(call.at(argument))
    return not (is_none(values) or any(is_data_type(one) for one in values))


def _bound_to(wrapped: Place) -> str | None:
    match wrapped.statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value) if value is wrapped.expression:
            return written(target)
        case _:
            return None


def _later_moves(wrapped: Place, name: str) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Yield the calls further down in the function that move the value of a name."""
    found = []
    for method in sorted(MOVES):
        for call, statement in wrapped.file.index.calls(method):
            is_later = statement.lineno > wrapped.statement.lineno
            same_scope = wrapped.file.index.home[statement][0].scope is wrapped.scope
            if is_later and same_scope and isinstance(call.func, ast.Attribute) and written(call.func.value) == name:
                found.append((call, statement))
    yield from sorted(found, key=lambda pair: pair[0].lineno)
