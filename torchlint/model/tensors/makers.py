"""Which call made a tensor last: `softmax` of `probs = F.softmax(x, dim=1); probs.squeeze(0)`, wherever that was."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.containers.module_containers import SEQUENTIAL
from torchlint.model.containers.run_last import run_last
from torchlint.model.linking.classes import is_module
from torchlint.model.parallel.wrappers import unwrapped
from torchlint.model.place import Place
from torchlint.model.results.calling import called
from torchlint.model.torch_facts import TENSOR_ONLY, canonical
from torchlint.model.values.possible import Built, Imported, Instance, Possibility, Possible, Tensor, Unknown

if TYPE_CHECKING:
    from torchlint.model.values.evaluator import Evaluator

# https://docs.pytorch.org/docs/stable/tensors.html: these give the same numbers back, or some of them.
_KEEPING = frozenset(
    "bfloat16 clone contiguous cpu cuda detach double expand expand_as flatten float half index_select masked_select"
    " movedim narrow permute ravel requires_grad_ reshape reshape_as select squeeze swapaxes swapdims t to transpose"
    " type type_as unflatten unsqueeze view view_as".split()
)
_KEEPING_FUNCTIONS = frozenset(f"torch.{name}" for name in _KEEPING)
_KEEPING_MODULES = frozenset({"torch.nn.Flatten", "torch.nn.Identity", "torch.nn.Unflatten"})
_PRIVATE = re.compile(r"torch\.nn\.modules\.\w+\.")
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Maker:
    """A call that made a tensor, by the full name of what it runs: `torch.softmax`, `torch.Tensor.softmax`."""

    call: Place
    name: str


def makers(ev: Evaluator, place: Place, depth: int = 0) -> Iterator[Maker | None]:
    """Yield what made each of the tensors that an expression may be, None for what nobody knows."""
    for one in ev.evaluate(place):
        yield from _makers_of(ev, one, depth)


def _makers_of(ev: Evaluator, one: Possibility, depth: int) -> Iterator[Maker | None]:
    if not isinstance(one.value, Tensor) or one.origin is None or depth > _DEEPEST:
        yield None
        return
    made = one.origin
    match made.expression:
        case ast.Subscript(value=value):
            yield from makers(ev, made.at(value), depth + 1)
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if _is_tensor(ev, made.at(owner), name):
            if name in _KEEPING:
                yield from makers(ev, made.at(owner), depth + 1)
            else:
                yield Maker(made, f"torch.Tensor.{name}")
        case ast.Call(func=function):
            for callee in ev.evaluate(made.at(function)):
                yield from _made_by(ev, made, callee, depth + 1)
        case _:
            yield None


def _is_tensor(ev: Evaluator, owner: Place, method: str) -> bool:
    """Tell whether a method is one of a tensor; what nobody knows is one where nothing else has such a method."""
    values = [one.value for one in ev.evaluate(owner)]
    is_told = method in TENSOR_ONLY or method in _KEEPING
    return bool(values) and all(isinstance(one, Tensor) or (is_told and isinstance(one, Unknown)) for one in values)


def _made_by(ev: Evaluator, call: Place, callee: Possibility, depth: int) -> Iterator[Maker | None]:
    """Yield what makes the tensors that a call of one thing returns."""
    if depth > _DEEPEST:
        yield None
    elif (wrapped := unwrapped(ev, callee)) is not None:
        yield from _made_by_any(ev, call, wrapped, depth)
    else:
        match callee.value:
            case Imported(name=name):
                yield from _made_by_function(ev, call, public_name(name), depth)
            case Built(name=name) if name == SEQUENTIAL:
                yield from _made_by_any(ev, call, run_last(ev, callee), depth)
            case Built(name=name) if is_module(ev, callee.value):
                yield from _made_by_layer(ev, call, public_name(name), depth)
            case Instance() if is_module(ev, callee.value):
                for one in called(ev, call, callee):
                    yield from _makers_of(ev, one, depth + 1) if one.origin != call else iter((None,))
            case _:
                yield None


def _made_by_any(ev: Evaluator, call: Place, callees: Possible, depth: int) -> Iterator[Maker | None]:
    for callee in callees:
        yield from _made_by(ev, call, callee, depth + 1)
    if not callees:
        yield None


def _made_by_function(ev: Evaluator, call: Place, name: str, depth: int) -> Iterator[Maker | None]:
    yield from _kept(ev, call, depth) if name in _KEEPING_FUNCTIONS else iter((Maker(call, name),))


def _made_by_layer(ev: Evaluator, call: Place, name: str, depth: int) -> Iterator[Maker | None]:
    yield from _kept(ev, call, depth) if name in _KEEPING_MODULES else iter((Maker(call, name),))


def _kept(ev: Evaluator, call: Place, depth: int) -> Iterator[Maker | None]:
    """Yield what made the argument of a call that gives the same numbers back."""
    assert isinstance(call.expression, ast.Call)
    if call.expression.args:
        yield from makers(ev, call.at(call.expression.args[0]), depth + 1)
    else:
        yield None


def public_name(name: str) -> str:
    """Return the name under which the documentation has something of PyTorch."""
    return canonical(_PRIVATE.sub("torch.nn.", name))
