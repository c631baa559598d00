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
    return is_open and any(_carries_graph(ev, one) for one in _operands(place))


def _carries_graph(ev: Evaluator, operand: Place) -> bool:
    if _is_backward_from(operand) or has_graph(ev.evaluate(operand)):
        return True
    return _is_part_of_loss(operand) and all(isinstance(one.value, Tensor) for one in ev.evaluate(operand))


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


def _is_part_of_loss(place: Place) -> bool:
    """Tell whether a variable is a result that the function adds to what it calls `backward()` on.

    `loss = pixel + 0.1 * style`: each part of a loss has a graph.
    """
    if not isinstance(place.expression, ast.Name):
        return False
    name, bindings = place.expression.id, place.scope.bindings
    made = bindings.get(name, ())
    if len(made) != 1 or not isinstance(made[0].value, ast.Call):
        return False
    receivers = (receiver_of(call) for call, _ in backward_calls(place.file, place.scope))
    losses = (one for node in receivers if isinstance(node, ast.Name) for one in bindings.get(node.id, ()))
    return any(name in _summands_of(one.value) for one in losses if one.value is not None)


def _summands_of(total: ast.expr) -> Iterator[str]:
    """Yield the variables that a sum adds, as they are or as multiples of them by numbers and options."""
    pending = [total]
    while pending:
        match pending.pop():
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                pending += (left, right)
            case ast.BinOp(left=ast.Constant() | ast.Attribute(), op=ast.Mult(), right=ast.Name(id=name)):
                yield name
            case ast.BinOp(left=ast.Name(id=name), op=ast.Mult() | ast.Div(), right=ast.Constant() | ast.Attribute()):
                yield name
            case ast.Name(id=name):
                yield name


def receiver_of(call: ast.Call) -> ast.expr:
    """Return the receiver of a call: `loss` of `loss.backward()`."""
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func


def backward_calls(file: ParsedFile, scope: Scope) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Yield the calls of a function that differentiate something, by their names."""
    for name in BACKWARD:
        for call, statement in file.calls_of(scope, name):
            if isinstance(call.func, ast.Attribute):
                yield call, statement
