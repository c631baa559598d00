"""Whether a tensor has a graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.graphs_of_values import has_graph
from torchlint.model.values.value_sets import Built, Number, Tensor, Unknown, ValueSet
from torchlint.pytorch.backward import BACKWARD
from torchlint.pytorch.layers import KEEPS_PAIR
from torchlint.syntax.walk import written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


def carries_graph(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is a tensor with a graph."""
    if not is_recorded(place):
        return False
    possible = ev.evaluate(place)
    if has_graph(possible):
        return True
    is_open = not possible or any(
        isinstance(one.value, Unknown) or (isinstance(one.value, Tensor) and one.value.graph is None)
        for one in possible
    )
    return is_open and any(_is_backward_from(one) or has_graph(ev.evaluate(one)) for one in _operands(place))


def without_graph(ev: Evaluator, place: Place) -> Place | None:
    """Return what an expression may be instead of a tensor with a graph, None if it surely is one.

    The number or `None` that a program writes down is where it starts to add.
    """
    if any(_is_backward_from(one) for one in _operands(place)):
        return None
    possible = ev.evaluate(place)
    bare = (one for one in possible if isinstance(one.value, Number) or has_no_graph((one,)))
    return next((one.origin for one in bare if one.origin is not None), None) if has_graph(possible) else None


def is_state(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression may be the state that an LSTM returns, a tuple of two tensors."""
    return any(one.origin is not None and _is_of_pair(ev, one.origin) for one in ev.evaluate(place))


def _is_of_pair(ev: Evaluator, made: Place) -> bool:
    if not isinstance(made.expression, ast.Call):
        return False
    layers = [one.value.name for one in ev.evaluate(made.at(made.expression.func)) if isinstance(one.value, Built)]
    return any(name.rpartition(".")[2] in KEEPS_PAIR for name in layers)


def _operands(place: Place) -> Iterator[Place]:
    """Yield the operands of arithmetic, each of which its result keeps alive."""
    pending = [place.expression]
    while pending:
        match pending.pop():
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
                pending += (left, right)
            case operand:
                yield place.at(operand)


def has_no_graph(possible: ValueSet) -> bool:
    """Tell whether no possibility of a value has a graph."""
    tensors = [one.value for one in possible if isinstance(one.value, Tensor)]
    is_known = bool(possible) and not any(isinstance(one.value, Unknown) for one in possible)
    return is_known and all(tensor.graph is False for tensor in tensors)


def _is_backward_from(place: Place) -> bool:
    """Tell whether the function calls `backward()` on the very name: then it carries a graph, whatever it is."""
    if not isinstance(place.expression, ast.Name):
        return False
    calls = backward_calls(place.file, place.scope)
    receivers = (node for call, _ in calls for node in (receiver_of(call), *call.args))
    return any(written(node) == place.expression.id for node in receivers)


def receiver_of(call: ast.Call) -> ast.expr:
    """Return the receiver of a call: `loss` of `loss.backward()`."""
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func


def backward_calls(file: ParsedFile, scope: Scope) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Yield the calls of a function that differentiate something, by their names."""
    for name in BACKWARD:
        for call, statement in file.calls_of(scope, name):
            if isinstance(call.func, ast.Attribute):
                yield call, statement
