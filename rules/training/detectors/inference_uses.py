"""Where inference tensors are used outside of inference mode in a way that PyTorch refuses. Checked on torch 2.13.

They are not changed in place, get no gradients, and are not saved for `backward()`, as the input of a layer is.
https://docs.pytorch.org/docs/stable/notes/autograd.html#inference-mode
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.containers.module_containers import module_at
from torchlint.model.guards.catching import is_in_try
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.tensors.makers import public_name
from torchlint.model.training.freezing import may_be_frozen
from torchlint.model.training.grad_mode import is_asked_for, is_in_inference, is_recorded
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Imported, Instance, Possibility, Tensor
from torchlint.pytorch.inference_tensors import SAVING_LAYERS, SAVING_LOSSES
from torchlint.pytorch.symbols import PARAMETER, SEQUENTIAL

from .always_recording import records_as_written
from .in_place import changes_in_place
from .inference_tensors import is_inference_tensor

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

How: TypeAlias = Literal["changed", "given gradients", "saved"]
_LOSSES = SAVING_LOSSES.keys() | set(SAVING_LOSSES.values())


@dataclass(frozen=True, slots=True)
class InferenceUse:
    """A use of an inference tensor that raises."""

    place: Place
    tensor: Place
    how: How


def inference_uses(ev: Evaluator, file: ParsedFile) -> Iterator[InferenceUse]:
    """Yield the uses of inference tensors in a file that surely raise."""
    for one in (*_changes(file), *_gradients(file), *_calls(file), *_products(file)):
        if not is_in_try(one.place) and is_inference_tensor(ev, one.tensor, False) and _is_refused(ev, one):
            yield one


def _is_refused(ev: Evaluator, use: InferenceUse) -> bool:
    """Tell whether a use of an inference tensor raises, where it is surely made outside of inference mode."""
    place = use.place
    if use.how == "saved" and not (_saves(ev, use) and is_recorded(place) and not is_asked_for(place)):
        return False
    return not is_in_inference(place) and is_reachable(ev, place) and records_as_written(ev, place)


def _changes(file: ParsedFile) -> Iterator[InferenceUse]:
    for place, changed in changes_in_place(file):
        yield InferenceUse(place, changed, "changed")


def _gradients(file: ParsedFile) -> Iterator[InferenceUse]:
    """Yield the calls that ask for gradients of what may be a tensor."""
    for call in method_calls_of(file, frozenset({"requires_grad_"})):
        asked = call.argument("requires_grad", 0)
        if call.owner is not None and (asked is None or asked.literals == (True,)):
            yield InferenceUse(call, call.owner, "given gradients")
    for call in method_calls_of(file, file.words_for([PARAMETER])):
        given, asked = call.argument("data", 0), call.argument("requires_grad", 1)
        if given is not None and (asked is None or asked.literals == (True,)) and PARAMETER in call.callee.names:
            yield InferenceUse(call, given, "given gradients")


def _calls(file: ParsedFile) -> Iterator[InferenceUse]:
    for node, statement in file.index.expressions(ast.Call):
        call = Call(file, node, statement)
        for given in call.arguments[:2]:
            if isinstance(given.expression, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)):
                yield InferenceUse(call, given, "saved")


def _products(file: ParsedFile) -> Iterator[InferenceUse]:
    """Yield the products of two tensors, which save each for the gradient of the other."""
    for node, statement in file.index.expressions(ast.BinOp):
        if isinstance(node.op, (ast.Mult, ast.MatMult)):
            place = Place(file, node, statement)
            yield InferenceUse(place, place.at(node.left), "saved")
            yield InferenceUse(place, place.at(node.right), "saved")


def _saves(ev: Evaluator, use: InferenceUse) -> bool:
    """Tell whether what a tensor is given to saves it for `backward()`."""
    match use.place.expression:
        case ast.BinOp(left=left, right=right):
            other = right if use.tensor.expression is left else left
            return _has_graph(ev, use.place.at(other))
        case ast.Call() as node:
            call = Call(use.place.file, node, use.place.statement)
            possible = ev.evaluate(call.callee)
            is_first = use.tensor.expression is call.arguments[0].expression
            return bool(possible) and all(_saves_in(ev, one, call, is_first) for one in possible)
        case _:
            return False


def _saves_in(ev: Evaluator, callee: Possibility, call: Call, is_first: bool) -> bool:
    match callee.value:
        case Built(name=name) | Imported(name=name) if public_name(name) in _LOSSES:
            return not is_first and _has_graph(ev, call.arguments[0])
        case value if is_first and is_module(ev, value):
            return _is_saved_inside(ev, callee, call)
        case _:
            return False


def _has_graph(ev: Evaluator, place: Place) -> bool:
    possible = ev.evaluate(place)
    return bool(possible) and all(isinstance(one.value, Tensor) and one.value.graph is True for one in possible)


@tabled(False)
def _is_saved_inside(ev: Evaluator, module: Possibility, call: Call) -> bool:
    """Tell whether a module with weights saves what a call passes to it, in one of its first layers."""
    given = call.arguments[0] if call.arguments else None
    if given is None or not is_inference_tensor(ev, given, False) or may_be_frozen(ev, call.callee):
        return False
    match module.value:
        case Built(name=name) if name == SEQUENTIAL:
            first = module_at(ev, module, 0)
            return len(first) == 1 and _is_saving_layer(first[0])
        case Built():
            return _is_saving_layer(module)
        case Instance(kind=kind) if (forward := method_of(ev, kind, "forward", module)) is not None:
            frame = frame_for(call, forward, NESTED)
            inner = (Call(forward.file, *one, frame) for one in forward.file.calls_in_scope(forward.scope))
            return frame is not None and any(_is_saved_by(ev, one) for one in inner)
        case _:
            return False


def _is_saving_layer(one: Possibility) -> bool:
    return isinstance(one.value, Built) and public_name(one.value.name) in SAVING_LAYERS


def _is_saved_by(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call in `forward` that always runs saves what it is given."""
    if not is_recorded(call) or call.file.index.home[call.statement][0].owner is not call.scope.node:
        return False
    possible = ev.evaluate(call.callee) if call.arguments else ()
    return len(possible) == 1 and is_module(ev, possible[0].value) and _is_saved_inside(ev, possible[0], call)
