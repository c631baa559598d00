"""What a call may return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.call_graph.class_hierarchy import family, is_module, method_of
from torchlint.model.containers.module_containers import is_container
from torchlint.model.modules.empty_modules import is_empty
from torchlint.model.parallel.device_transfer import transferred
from torchlint.model.parallel.wrappers import moves_inputs, unwrapped
from torchlint.model.place import Place
from torchlint.model.results.externals import external_call
from torchlint.model.results.factories import as_bound
from torchlint.model.results.methods import method_call
from torchlint.model.results.module_outputs import beside_module, given_back
from torchlint.model.results.own_functions import is_own_function, recorded
from torchlint.model.tensors.encodings import encoded, is_tokenizer
from torchlint.model.values.frames import frame_for, frame_into
from torchlint.model.values.joins import either
from torchlint.model.values.operators import joined
from torchlint.model.values.value_sets import (
    HOST,
    UNKNOWN,
    Built,
    Class,
    Device,
    Display,
    Frame,
    Function,
    Generated,
    Imported,
    Instance,
    Number,
    Possibility,
    Tensor,
    Unknown,
    ValueSet,
    known,
)
from torchlint.pytorch.layers import is_bare
from torchlint.pytorch.results import NOT_OF_NUMBERS
from torchlint.pytorch.symbols import MODULE

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_HOST: frozenset[Device | None] = frozenset({HOST})


def call_of(ev: Evaluator, place: Place) -> ValueSet:
    """Return what a call may return at a place."""
    node = place.expression
    assert isinstance(node, ast.Call)
    if isinstance(node.func, ast.Attribute):
        owners = ev.evaluate(place.at(node.func.value))
        return either(*(_of_attribute(ev, place, node.func, owner) for owner in owners))
    return either(*(called(ev, place, callee) for callee in ev.evaluate(place.at(node.func))))


def _of_attribute(ev: Evaluator, place: Place, function: ast.Attribute, owner: Possibility) -> ValueSet:
    """Return what `owner.name(…)` may return for one possible owner."""
    if isinstance(owner.value, Number) and function.attr in NOT_OF_NUMBERS:
        # What is called here is no number.
        return ()
    if function.attr == "forward" and isinstance(owner.value, Built) and is_module(ev, owner.value):
        return _placed(ev, place, owner, place.at(function.value))
    if (found := method_call(ev, place, owner, function.attr)) is not None:
        return found
    callees = ev.attribute(place.at(function), owner, function.attr)
    return either(*(called(ev, place, callee) for callee in callees))


def called(ev: Evaluator, place: Place, callee: Possibility) -> ValueSet:
    """Return what calling one thing at a place may return."""
    match callee.value:
        case Function() as function:
            found = _of_function(ev, place, function)
            return recorded(ev, place, found) if is_own_function(ev, function) else found
        case Class() as kind:
            return known(Instance(kind), place)
        case Imported(name=name):
            return as_bound(ev, callee, place, external_call(ev, place, name))
        case Instance() | Built():
            assert isinstance(place.expression, ast.Call)
            return _placed(ev, place, callee, place.at(place.expression.func))
        case Display(place=written) if isinstance(written.expression, ast.Lambda):
            return _of_lambda(ev, place, written, written.expression)
        case _:
            return UNKNOWN


def _of_function(ev: Evaluator, place: Place, function: Function) -> ValueSet:
    frame = frame_for(place, function, FRAME_DEPTH)
    if frame is None:
        # Truncated at the call depth, or recursive: unknown.
        is_open = function.scope.yields or frame_into(place, function.scope) is not None
        return UNKNOWN if is_open else ev.returned(Function(function.file, function.scope), None)
    if function.scope.yields:
        return known(Generated(function, frame), place)
    return ev.returned(function, frame)


def _of_lambda(ev: Evaluator, place: Place, written: Place, function: ast.Lambda) -> ValueSet:
    if place.frame is not None and place.frame.depth >= FRAME_DEPTH:
        return UNKNOWN
    return ev.evaluate(Place(written.file, function.body, written.statement, Frame(function, place)))


def _of_object(ev: Evaluator, place: Place, callee: Possibility) -> ValueSet:
    """Return what calling an object returns: a module's `forward`, a tensor from a layer or loss."""
    if is_tokenizer(callee):
        return encoded(place)
    own = _of_own_method(ev, place, callee)
    is_known = own is not None and any(not isinstance(one.value, Unknown) for one in own)
    if not is_known and (wrapped := unwrapped(ev, callee)) is not None:
        found = either(*(called(ev, place, one) for one in wrapped)) or known(Tensor(), place)
        # What a wrapper scatters to its devices is not on the host any more.
        return transferred(ev, found, _HOST, None) if moves_inputs(ev, callee) else found
    if own is not None:
        return own
    if is_module(ev, callee.value) and isinstance(callee.value, Built) and callee.value.name != MODULE:
        return known(_of_layer(ev, place, callee.value.name), place)
    return UNKNOWN


def _of_own_method(ev: Evaluator, place: Place, callee: Possibility) -> ValueSet | None:
    """Return what the project's own method returns that calling an object runs, None if it has none."""
    kind = callee.value
    if not isinstance(kind, Instance):
        return None
    for name in ("__call__", "forward"):
        if (method := method_of(ev, kind.kind, name, callee)) is not None:
            if name == "forward" and _is_forward_replaced(ev, place, callee):
                return UNKNOWN
            if not is_module(ev, kind):
                return _of_function(ev, place, method)
            # What a network returns hardly depends on its caller; following it through each call is expensive.
            return given_back(ev, place, kind.kind, ev.returned(method, None))
    return None


def _is_forward_replaced(ev: Evaluator, place: Place, callee: Possibility) -> bool:
    """Tell whether the function replaces the module's `forward` before it calls it: `model.forward = other`."""
    for store in place.file.index.attribute_stores("forward"):
        is_above = (
            store.statement.lineno < place.line and place.file.index.home[store.statement][0].scope is place.scope
        )
        if is_above:
            owner = ev.evaluate(Place(place.file, store.target, store.statement, place.frame))
            if not owner or any(_may_be_same(ev, one, callee) for one in owner):
                return True
    return False


def _may_be_same(ev: Evaluator, one: Possibility, other: Possibility) -> bool:
    """Tell whether two objects may be one: one is unknown, or the class of one is a base of the other's."""
    if not isinstance(one.value, Instance) or not isinstance(other.value, Instance):
        return isinstance(one.value, Unknown)
    kinds = one.value.kind, other.value.kind
    return kinds[0] in family(ev, kinds[1]) or kinds[1] in family(ev, kinds[0])


def _placed(ev: Evaluator, place: Place, callee: Possibility, module: Place) -> ValueSet:
    """Return what an object returns: a module's output is on the module's device, on machines with several kinds."""
    found = _of_object(ev, place, callee)
    if not is_module(ev, callee.value) or ev.has_cuda is not True:
        return found
    if isinstance(callee.value, Built) and is_bare(callee.value.name):
        return found
    if is_container(callee.value) and is_empty(ev, callee):
        return found
    return beside_module(ev, place, callee, module, found)


def _of_layer(ev: Evaluator, place: Place, name: str) -> Tensor:
    """Return the output of a layer for its input: parameters give it a graph; a loss or activation has none.

    Parameters must be on the device of the input. In a world with CUDA they determine where that is.
    """
    assert isinstance(place.expression, ast.Call)
    if is_bare(name):
        return joined(*(one.value for argument in place.expression.args for one in ev.evaluate(place.at(argument))))
    given = [one.value for argument in place.expression.args[:1] for one in ev.evaluate(place.at(argument))]
    is_host = bool(given) and all(isinstance(value, Tensor) and value.device == HOST for value in given)
    return Tensor(HOST if is_host and ev.has_cuda is not True else None, True)
