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
from torchlint.model.values.value_sets import HOST, Class, Function, Instance, Unknown
from torchlint.model.values.values_of_names import Expanded, values_of_names
from torchlint.model.worlds import BY_DEFAULT
from torchlint.syntax.around import function_around
from torchlint.syntax.closure import closure
from torchlint.syntax.walk import walk

from .gpu_premises import assumed, is_surely_on_gpu, leads_to_gpu, moves_in

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_NONE: tuple[Place, ...] = ()
_STEPS: tuple[Step, ...] = ()
_LEFT = frozenset({None, HOST})


@tabled(_STEPS)
def owner_on_gpu(ev: Evaluator, tensor: Place) -> tuple[Step, ...]:
    """Return the step that shows, or assumes, that the module of a method is on a GPU, and a tensor with it.

    There is none for a tensor that is on a known GPU, that was moved in view, or that comes from no such method.
    """
    sure = ev.project.evaluator(BY_DEFAULT)
    if is_surely_on_gpu(sure, tensor):
        return ()
    expanded: Expanded = {}
    sources = tuple(closure(tensor, lambda one: _computed_from(ev, one, expanded)))
    moves = tuple(move for one in sources for move in moves_in(ev, one) if move is not tensor)
    if any(leads_to_gpu(sure, one) for one in moves):
        return ()
    methods = tuple(dict.fromkeys(method for one in sources if (method := _module_around(ev, one)) is not None))
    receivers = tuple(one for method in methods for one in _receivers(ev, method) if ev.residence(one) not in _LEFT)
    shown = next((one for one in receivers if leads_to_gpu(sure, one)), None)
    if shown is not None:
        return (shown.step("the module is on a GPU here"),)
    if moves or receivers or not methods:
        return (assumed(ev, (*moves, *receivers, tensor)[0]),)
    words = "assumes that the module of `{}` is on a GPU"
    return (name_of(methods[0].file, methods[0].scope).step(words.format(methods[0].scope.name), is_assumed=True),)


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
