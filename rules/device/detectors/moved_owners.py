"""The line that shows that the module of a method is on a GPU: a call of a method on a module that was moved there.

The evaluator takes a method's own module as moved, since the code that makes a module may move it. If no call in the
project shows that it does, the finding rests on an assumption.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import OBJECT_CALLS, object_callers_of
from torchlint.model.call_graph.class_hierarchy import are_related, is_module, method_of
from torchlint.model.headers import name_of
from torchlint.model.modules.held import own_receiver
from torchlint.model.parallel.wrappers import without_wrappers
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Class, Device, Function, Instance, Tensor, Unknown
from torchlint.model.values.values_of_names import Expanded, values_of_names
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.around import function_around
from torchlint.syntax.closure import closure
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_NONE: tuple[Place, ...] = ()
_STEPS: tuple[Step, ...] = ()


@tabled(_STEPS)
def owner_on_gpu(ev: Evaluator, tensor: Place) -> tuple[Step, ...]:
    """Return the step that shows, or assumes, that the module of a method is on a GPU, and a tensor with it.

    There is none for a tensor that is on a known GPU, that was moved in view, or that comes from no such method.
    """
    devices = {one.value.device for one in ev.evaluate(tensor) if isinstance(one.value, Tensor)}
    if not devices <= {Device()}:
        return ()
    expanded: Expanded = {}
    sources = tuple(closure(tensor, lambda one: _computed_from(ev, one, expanded)))
    if any(_is_moved(ev, one) for one in sources):
        return ()
    methods = tuple(dict.fromkeys(method for one in sources if (method := _module_around(ev, one)) is not None))
    for method in methods:
        for receiver in _receivers(ev, method):
            if ev.residence(receiver) not in {None, HOST}:
                return (receiver.step("the module is on a GPU here"),)
    words = "assumes that the module of `{}` is on a GPU"
    return tuple(
        name_of(one.file, one.scope).step(words.format(one.scope.name), is_assumed=True) for one in methods[:1]
    )


def classes_using(ev: Evaluator, tensor: Place) -> tuple[Class, ...]:
    """Return the class of modules that a tensor is computed in, and those whose methods call this one's."""
    method = _module_around(ev, tensor)
    using = closure(method, lambda one: _modules_calling(ev, one)) if method is not None else ()
    kinds = (Class(one.file, one.scope.outer) for one in using if one.scope.outer is not None)
    return tuple(dict.fromkeys(kinds))


def _computed_from(ev: Evaluator, place: Place, expanded: Expanded) -> Iterator[Place]:
    """Yield what the names in an expression stand for: in its function, and in the calls of one that is no module's."""
    yield from values_of_names(place, expanded)
    if place.scope.kind != "function" or _module_around(ev, place) is not None:
        return
    names = {node.id for node in walk(place.expression) if isinstance(node, ast.Name)}
    parameters = [one for one in place.scope.parameters if one.name in names]
    for caller in ev.callers(Function(place.file, place.scope)) if parameters else ():
        for parameter in parameters:
            yield from caller.argument(parameter) or ()


def _is_moved(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression moves something, or calls a module that was moved outside a module's methods."""
    calls = [part for part in walk(place.expression) if isinstance(part, ast.Call)]
    if any(isinstance(call.func, ast.Attribute) and call.func.attr in MOVES for call in calls):
        return True
    is_outside = _module_around(ev, place) is None
    return is_outside and any(ev.residence(place.at(call.func)) not in {None, HOST} for call in calls)


def _module_around(ev: Evaluator, place: Place) -> Function | None:
    """Return the method of a module around a place."""
    method = _method_around(place)
    return method if method is not None and _is_of_module(ev, method) else None


def _method_around(place: Place) -> Function | None:
    function = function_around(place)
    is_method = function is not None and function.is_method and isinstance(function.node, ast.FunctionDef)
    return Function(place.file, function) if function is not None and is_method else None


def _is_of_module(ev: Evaluator, method: Function) -> bool:
    return method.scope.outer is not None and is_module(ev, Instance(Class(method.file, method.scope.outer)))


def _receivers(ev: Evaluator, method: Function) -> Iterator[Place]:
    """Yield the modules that code outside modules calls a method of; without any, the `forward` of the same class."""
    own = list(_receivers_of(ev, method))
    forward = _forward_beside(ev, method) if not own else None
    yield from own if forward is None else _receivers_of(ev, forward)


def _receivers_of(ev: Evaluator, method: Function) -> Iterator[Place]:
    for one in closure(method, lambda inner: _modules_calling(ev, inner)):
        for call, receiver in _calls_on_own(ev, one):
            if _module_around(ev, call) is None:
                yield receiver


def _calls_on_own(ev: Evaluator, method: Function) -> Iterator[tuple[Place, Place]]:
    """Yield the calls of a method on what may have it, and their receivers."""
    for call in calls_of(ev, method):
        receiver = own_receiver(call, method.scope)
        if receiver is not None and _may_have(ev, receiver, method):
            yield call, receiver


def _may_have(ev: Evaluator, receiver: Place, method: Function) -> bool:
    """Tell whether a receiver may have a method; an unknown object may be any module, which all have a `forward`."""
    assert method.scope.outer is not None
    own = Class(method.file, method.scope.outer)
    found = [one.value for outer in ev.evaluate(receiver) for one in without_wrappers(ev, outer)]
    if any(isinstance(one, Unknown) for one in found):
        return method.scope.name not in OBJECT_CALLS
    return any(isinstance(one, Instance) and are_related(ev, own, one.kind) for one in found)


def _forward_beside(ev: Evaluator, method: Function) -> Function | None:
    assert method.scope.outer is not None
    return method_of(ev, Class(method.file, method.scope.outer), "forward")


def _modules_calling(ev: Evaluator, method: Function) -> Iterator[Function]:
    """Yield the methods of modules that call a method: where these are, it is."""
    calling = (_module_around(ev, call) for call, _ in _calls_on_own(ev, method))
    yield from (one for one in calling if one is not None)


@tabled(_NONE)
def calls_of(ev: Evaluator, method: Function) -> tuple[Place, ...]:
    """Return the calls of a method, by its name or by calling its object."""
    return tuple(caller.place for caller in (*ev.callers(method), *object_callers_of(ev, method)))
