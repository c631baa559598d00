"""Which call made a tensor last: `softmax` of `probs = F.softmax(x, dim=1); probs.squeeze(0)`, anywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.containers.displays import elements_of
from torchlint.model.containers.run_last import run_last
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.results.calling import called
from torchlint.model.tensors.mappings import CallersOfBuilt
from torchlint.model.values.joins import is_open
from torchlint.model.values.value_sets import (
    Built,
    Function,
    Imported,
    Instance,
    Possibility,
    Tensor,
    Unknown,
    ValueSet,
)
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.dtypes import JOINING
from torchlint.pytorch.layers import SAME_ELEMENTS
from torchlint.pytorch.results import TENSOR_ONLY
from torchlint.pytorch.symbols import NN, SEQUENTIAL, TENSOR
from torchlint.pytorch.views import SAME_NUMBERS

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_KEEPING_FUNCTIONS = frozenset(f"torch.{name}" for name in SAME_NUMBERS)
_PRIVATE = re.compile(r"torch\.nn\.modules\.\w+\.")
# Beyond so many makers none is significant.
_MOST = 60


@dataclass(frozen=True, slots=True)
class Maker:
    """A call that made a tensor, by the full name of what it runs: `torch.softmax`, `torch.Tensor.softmax`."""

    call: Place
    name: str


def makers(ev: Evaluator, place: Place) -> Iterator[Maker | None]:
    """Yield what made each of the tensors that an expression may be, None if unknown."""
    return _makers(ev, place, set())


def made_by(ev: Evaluator, call: Place, callee: Possibility) -> Iterator[Maker | None]:
    """Yield what makes the tensors that a call returns if it calls one thing of several, None if unknown."""
    return _made_by(ev, call, callee, set())


def _makers(ev: Evaluator, place: Place, seen: set[object]) -> Iterator[Maker | None]:
    for one in ev.evaluate(place):
        yield from _makers_of_unknown(ev, place, seen) if is_open(one) else _makers_of(ev, one, seen)


def _makers_of(ev: Evaluator, one: Possibility, seen: set[object]) -> Iterator[Maker | None]:
    """Yield what made one tensor, or nothing if that was yielded before: in a loop it may be made of itself."""
    if not isinstance(one.value, Tensor) or one.origin is None or len(seen) > _MOST:
        yield None
        return
    made = one.origin
    if made in seen:
        return
    seen.add(made)
    match made.expression:
        case ast.Subscript(value=value):
            yield from _makers(ev, made.at(value), seen)
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if _is_tensor(ev, made.at(owner), name):
            if name in SAME_NUMBERS:
                yield from _makers(ev, made.at(owner), seen)
            else:
                yield Maker(made, f"{TENSOR}.{name}")
        case ast.Call(func=function):
            for callee in ev.evaluate(made.at(function)):
                yield from _made_by(ev, made, callee, seen)
        case _:
            yield None


def _makers_of_unknown(ev: Evaluator, place: Place, seen: set[object]) -> Iterator[Maker | None]:
    """Yield what made the input of a `forward`, by the calls of the module, which are queried only here."""
    is_new = ("unknown", place) not in seen and len(seen) <= _MOST
    seen.add(("unknown", place))
    match place.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if name in SAME_NUMBERS and is_new:
            yield from _makers(ev, place.at(owner), seen)
        case ast.Name(id=name) if is_new and (given := _given(ev, place, name)):
            for argument in given:
                yield from _makers(ev, argument, seen)
        case _:
            yield None


def _given(ev: Evaluator, place: Place, name: str) -> tuple[Place, ...]:
    """Return what all calls of a module pass for a parameter of its `forward`; nothing if one is unknown."""
    scope = place.scope
    parameter = next((one for one in scope.parameters if one.name == name), None)
    if parameter is None or scope.name != "forward" or len(scope.bindings[name]) > 1 or place.frame is not None:
        return ()
    found = [one.argument(parameter) for one in ev.project.once(CallersOfBuilt(Function(place.file, scope)))]
    return tuple(one for some in found for one in some or ()) if all(found) else ()


def _is_tensor(ev: Evaluator, owner: Place, method: str) -> bool:
    """Tell whether a method is one of a tensor; on an unknown object it is if nothing else has such a method."""
    values = [one.value for one in ev.evaluate(owner)]
    is_tensor_only = method in TENSOR_ONLY or method in SAME_NUMBERS
    return bool(values) and all(
        isinstance(one, Tensor) or (is_tensor_only and isinstance(one, Unknown)) for one in values
    )


def _made_by(ev: Evaluator, call: Place, callee: Possibility, seen: set[object]) -> Iterator[Maker | None]:
    """Yield what makes the tensors that a call of one thing returns."""
    if (call, callee) in seen:
        return
    seen.add((call, callee))
    if (wrapped := unwrapped(ev, callee)) is not None:
        yield from _made_by_any(ev, call, wrapped, seen)
    else:
        match callee.value:
            case Imported(name=name):
                yield from _made_by_function(ev, call, public_name(name), seen)
            case Built(name=name) if name == SEQUENTIAL:
                yield from _made_by_any(ev, call, run_last(ev, callee), seen)
            case Built(name=name) if is_module(ev, callee.value):
                yield from _made_by_layer(ev, call, public_name(name), seen)
            case Instance() if is_module(ev, callee.value):
                for one in called(ev, call, callee):
                    yield from _makers_of(ev, one, seen) if one.origin != call else iter((None,))
            case _:
                yield None


def _made_by_any(ev: Evaluator, call: Place, callees: ValueSet, seen: set[object]) -> Iterator[Maker | None]:
    for callee in callees:
        yield from _made_by(ev, call, callee, seen)
    if not callees:
        yield None


def _made_by_function(ev: Evaluator, call: Place, name: str, seen: set[object]) -> Iterator[Maker | None]:
    if name in JOINING:
        yield from _joined(ev, call, seen)
    else:
        yield from _kept(ev, call, seen) if name in _KEEPING_FUNCTIONS else iter((Maker(call, name),))


def _joined(ev: Evaluator, call: Place, seen: set[object]) -> Iterator[Maker | None]:
    """Yield what made each of the tensors that are concatenated or stacked."""
    assert isinstance(call.expression, ast.Call)
    parts = elements_of(ev, ev.evaluate(call.at(call.expression.args[0]))) if call.expression.args else ()
    for one in parts:
        yield from _makers_of(ev, one, seen)
    if not parts:
        yield None


def _made_by_layer(ev: Evaluator, call: Place, name: str, seen: set[object]) -> Iterator[Maker | None]:
    yield from _kept(ev, call, seen) if name in SAME_ELEMENTS else iter((Maker(call, name),))


def _kept(ev: Evaluator, call: Place, seen: set[object]) -> Iterator[Maker | None]:
    """Yield what made the argument of a call that returns the same numbers."""
    assert isinstance(call.expression, ast.Call)
    if call.expression.args:
        yield from _makers(ev, call.at(call.expression.args[0]), seen)
    else:
        yield None


def public_name(name: str) -> str:
    """Return the name under which the documentation has something of PyTorch."""
    return canonical(_PRIVATE.sub(NN, name))
