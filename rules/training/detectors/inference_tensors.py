"""Which expressions are inference tensors: made by a computation in inference mode, here or in what is called.

A view of a tensor is what the tensor is, in any mode: `y = x.view(-1)` in inference mode makes a normal tensor of one.
Checked on torch 2.13. https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.containers.module_containers import modules_in
from torchlint.model.place import Caller, Place
from torchlint.model.tensors.makers import public_name
from torchlint.model.tensors.scalars import sure_definitions
from torchlint.model.training.grad_mode import is_in_inference
from torchlint.model.values.frames import frame_for, frame_into
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Function, Imported, Instance, Possibility
from torchlint.pytorch.inference_tensors import (
    COMPUTING_FUNCTIONS,
    COMPUTING_LAYERS,
    COMPUTING_METHODS,
    KEPT_INSIDE,
    SAME,
)
from torchlint.pytorch.layers import is_bare
from torchlint.pytorch.symbols import NN, SEQUENTIAL
from torchlint.syntax.indices import keeps_place, parts_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding


@tabled(True)
def is_inference_tensor(ev: Evaluator, place: Place, is_inside: bool) -> bool:
    """Tell whether an expression is surely an inference tensor; `is_inside` if a caller has entered the mode.

    What a loop makes of the tensor itself is one if the others are that reach it.
    """
    match place.expression:
        case ast.Name():
            return _is_of_name(ev, place, is_inside)
        case ast.Attribute(value=owner, attr=name):
            return name in SAME and is_inference_tensor(ev, place.at(owner), is_inside)
        case ast.Subscript(value=owner, slice=key):
            return all(map(keeps_place, parts_of(key))) and is_inference_tensor(ev, place.at(owner), is_inside)
        case ast.BinOp():
            return (is_inside or is_in_inference(place)) and place.is_tensor
        case ast.Call():
            return _is_of_call(ev, place, place.expression, is_inside)
        case _:
            return False


def _is_of_name(ev: Evaluator, place: Place, is_inside: bool) -> bool:
    found = sure_definitions(ev, place)
    return bool(found) and all(_is_of_binding(ev, place, one, is_inside) for one in found)


def _is_of_binding(ev: Evaluator, place: Place, one: Binding, is_inside: bool) -> bool:
    if one.kind == "parameter":
        return _is_passed(ev, place, one.name)
    if one.kind == "augment" and isinstance(one.statement, ast.AugAssign):
        # It raises, or has changed the same tensor.
        return is_inference_tensor(ev, Place(place.file, one.statement.target, one.statement, place.frame), is_inside)
    if one.kind != "assign" or one.selector or one.value is None:
        return False
    return is_inference_tensor(ev, Place(place.file, one.value, one.statement, place.frame, place.given), is_inside)


def _is_passed(ev: Evaluator, place: Place, name: str) -> bool:
    """Tell whether the call on the way passes one for a parameter."""
    frame = frame_into(place, place.scope)
    parameter = next(one for one in place.scope.parameters if one.name == name)
    given = Caller.of_frame(frame, frame.call).argument(parameter) if frame is not None and frame.call else ()
    return bool(given) and all(is_inference_tensor(ev, one, False) for one in given or ())


def _is_of_call(ev: Evaluator, place: Place, call: ast.Call, is_inside: bool) -> bool:
    is_set = is_inside or is_in_inference(place)
    match call.func:
        case ast.Attribute(value=owner, attr=name) if name in (KEPT_INSIDE if is_set else SAME):
            # What the owner was made of may be from before the mode was entered.
            return is_inference_tensor(ev, place.at(owner), is_inside)
        case ast.Attribute(value=owner, attr=name) if is_set and name in COMPUTING_METHODS:
            if place.at(owner).is_tensor:
                return True
    possible = ev.evaluate(place.at(call.func))
    return bool(possible) and all(_makes_one(ev, place, one, is_set) for one in possible)


def _makes_one(ev: Evaluator, call: Place, callee: Possibility, is_inside: bool) -> bool:
    """Tell whether a call of one thing surely returns an inference tensor."""
    match callee.value:
        case Imported(name=name):
            return is_inside and public_name(name) in COMPUTING_FUNCTIONS
        case Function() as function:
            return _returns_some(ev, call, function, is_inside)
        case Instance(kind=kind) if is_module(ev, callee.value):
            forward = method_of(ev, kind, "forward", callee)
            return forward is not None and _returns_some(ev, call, forward, is_inside)
        case Built() if is_inside and is_module(ev, callee.value):
            return _computes(ev, callee) and call.is_tensor
        case _:
            return False


def _computes(ev: Evaluator, layer: Possibility) -> bool:
    """Tell whether a layer of PyTorch, or a network of another package, computes a new tensor."""
    assert isinstance(layer.value, Built)
    name = public_name(layer.value.name)
    if name == SEQUENTIAL:
        return any(isinstance(one.value, Built) and _computes(ev, one) for one in modules_in(ev, layer))
    return name in COMPUTING_LAYERS or not (name.startswith(NN) or is_bare(name))


def _returns_some(ev: Evaluator, call: Place, function: Function, is_inside: bool) -> bool:
    """Tell whether all that a call of a function of the project returns is an inference tensor."""
    frame = frame_for(call, function, NESTED)
    scope = function.scope
    if frame is None or scope.yields or not scope.returns or isinstance(scope.node, ast.AsyncFunctionDef):
        return False
    values = [Place(function.file, one.value, one, frame) if one.value is not None else None for one in scope.returns]
    return all(one is not None and is_inference_tensor(ev, one, is_inside) for one in values)
