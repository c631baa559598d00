"""The line that shows that the module of a method is on a GPU: a call of a method on a module that was moved there.

The evaluator takes a method's own module as moved, since the code that makes a module may move it. If no call in the
project shows that it does, the finding rests on an assumption.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.headers import name_of
from torchlint.model.modules.held import own_receiver
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Class, Device, Function, Instance, Tensor
from torchlint.model.values.values_of_names import values_of_names
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

    There is none for a tensor that is on a known GPU, that was moved in the function, or that is in no such method.
    """
    method = _method_around(tensor)
    if method is None or not _is_of_module(ev, method) or not _is_where_its_module_is(ev, tensor):
        return ()
    for receiver in _receivers(ev, method):
        if ev.residence(receiver) not in {None, HOST}:
            return (receiver.step("the module is on a GPU here"),)
    words = f"assumes that the module of `{method.scope.name}` is on a GPU"
    return (name_of(method.file, method.scope).step(words, is_assumed=True),)


def _method_around(place: Place) -> Function | None:
    function = function_around(place)
    is_method = function is not None and function.is_method and isinstance(function.node, ast.FunctionDef)
    return Function(place.file, function) if function is not None and is_method else None


def _is_of_module(ev: Evaluator, method: Function) -> bool:
    return method.scope.outer is not None and is_module(ev, Instance(Class(method.file, method.scope.outer)))


def _is_where_its_module_is(ev: Evaluator, tensor: Place) -> bool:
    """Tell whether a tensor is on an unknown device, and nothing that it is computed from was moved in its function."""
    devices = {one.value.device for one in ev.evaluate(tensor) if isinstance(one.value, Tensor)}
    computed = (part for one in closure(tensor, values_of_names) for part in walk(one.expression))
    return devices <= {Device()} and not any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in MOVES
        for part in computed
    )


def _receivers(ev: Evaluator, method: Function) -> Iterator[Place]:
    """Yield the modules that code outside modules calls a method of; without any, the `forward` of the same class."""
    own = list(_receivers_of(ev, method))
    forward = _forward_beside(ev, method) if not own else None
    yield from own if forward is None else _receivers_of(ev, forward)


def _receivers_of(ev: Evaluator, method: Function) -> Iterator[Place]:
    for one in closure(method, lambda inner: _modules_calling(ev, inner)):
        for call in calls_of(ev, one):
            receiver = own_receiver(call, one.scope)
            if receiver is not None and _calling_module(ev, call) is None:
                yield receiver


def _forward_beside(ev: Evaluator, method: Function) -> Function | None:
    assert method.scope.outer is not None
    return method_of(ev, Class(method.file, method.scope.outer), "forward")


def _modules_calling(ev: Evaluator, method: Function) -> Iterator[Function]:
    """Yield the methods of modules that call a method: where these are, it is."""
    calling = (_calling_module(ev, call) for call in calls_of(ev, method))
    yield from (one for one in calling if one is not None)


def _calling_module(ev: Evaluator, call: Place) -> Function | None:
    function = _method_around(call)
    return function if function is not None and _is_of_module(ev, function) else None


@tabled(_NONE)
def calls_of(ev: Evaluator, method: Function) -> tuple[Place, ...]:
    """Return the calls of a method, by its name or by calling its object."""
    return tuple(caller.place for caller in (*ev.callers(method), *object_callers_of(ev, method)))
