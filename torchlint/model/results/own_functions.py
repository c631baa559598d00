"""Functions with a backward of their own: `Square.apply(x)` runs the `forward` of a `torch.autograd.Function`.

https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.Function
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases, method_of
from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.operators import joined
from torchlint.model.values.value_sets import UNKNOWN, Class, Function, Tensor, Unknown, ValueSet
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.symbols import AUTOGRAD_FUNCTION

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# These run for what `forward` returned, and for nothing else.
_AFTERWARDS = frozenset({"backward", "setup_context"})


def run_by_apply(ev: Evaluator, kind: Class) -> Function | None:
    """Return the `forward` that `kind.apply(…)` runs, None if the class is no such function."""
    forward = method_of(ev, kind, "forward")
    if forward is None or not _is_autograd(ev, kind):
        return None
    # Since 2.0 a `forward` beside a `setup_context` has no `ctx` parameter.
    is_given_context = method_of(ev, kind, "setup_context") is None
    return Function(forward.file, forward.scope, UNKNOWN[0] if is_given_context else None)


def is_own_function(ev: Evaluator, function: Function) -> bool:
    """Tell whether a function is the `forward` of one with a backward of its own."""
    return function.scope.name == "forward" and _is_of_own(ev, function)


def run_back_from(ev: Evaluator, function: Function, call: Place) -> Function | None:
    """Return the `backward` of a call of `forward`, None if it has none or never runs.

    It has other arguments than the call, and never runs if no input has a graph.
    """
    kind = function.scope.outer
    if kind is None or not is_own_function(ev, function) or not is_recorded(call):
        return None
    assert isinstance(call.expression, ast.Call)
    if _have_no_graph(ev, call, call.expression):
        return None
    backward = method_of(ev, Class(function.file, kind), "backward")
    return Function(backward.file, backward.scope) if backward is not None else None


def _have_no_graph(ev: Evaluator, call: Place, node: ast.Call) -> bool:
    """Tell whether all tensor arguments of a call are known to have no graph."""
    given = [one.value for argument in node.args for one in ev.evaluate(call.at(argument))]
    is_known = bool(given) and not any(isinstance(value, Unknown) for value in given)
    return is_known and all(value.graph is False for value in given if isinstance(value, Tensor))


def ends_before(ev: Evaluator, function: Function) -> tuple[Place, ...]:
    """Return the `return`s of `forward` one of which ran before a `backward` does; none for any other function."""
    kind = function.scope.outer
    if function.scope.name not in _AFTERWARDS or kind is None or not _is_of_own(ev, function):
        return ()
    if (forward := method_of(ev, Class(function.file, kind), "forward")) is None:
        return ()
    return tuple(Place(forward.file, one.value, one) for one in forward.scope.returns if one.value is not None)


def _is_of_own(ev: Evaluator, function: Function) -> bool:
    kind = function.scope.outer
    if kind is None or not function.scope.is_method:
        return False
    return _is_autograd(ev, Class(function.file, kind))


def _is_autograd(ev: Evaluator, kind: Class) -> bool:
    return AUTOGRAD_FUNCTION in map(canonical, imported_bases(ev, kind))


def recorded(ev: Evaluator, place: Place, found: ValueSet) -> ValueSet:
    """Return what `forward` returns, with a graph if any of its inputs has one."""
    assert isinstance(place.expression, ast.Call)
    inputs = joined(*(one.value for argument in place.expression.args for one in ev.evaluate(place.at(argument))))
    return tuple(
        one.of_value(Tensor(one.value.device, _graph_of(one.value, inputs))) if isinstance(one.value, Tensor) else one
        for one in found
    )


def _graph_of(output: Tensor, inputs: Tensor) -> bool | None:
    # `forward` records nothing itself: even what it detaches has a graph, unless it is an integer tensor.
    return None if inputs.graph and output.graph is False else inputs.graph
