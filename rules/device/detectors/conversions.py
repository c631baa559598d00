"""Conversions of tensors to ndarrays that raise: on a GPU, with a graph, or of a dtype that NumPy has not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.devices.default_device import makes_elsewhere
from torchlint.model.devices.passed_from_host import is_passed_from_host
from torchlint.model.guards.for_host import is_for_host
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.tensors.dtypes import numbers_of
from torchlint.model.tensors.numbers import Numbers
from torchlint.model.tensors.sure_tensors import is_surely_made
from torchlint.model.training.grad_mode import is_asked_for, is_recorded
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Device, Function, Tensor
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.dtypes import NOT_OF_NUMPY

from .converted import converted
from .given_to_numpy import is_list, made_arrays
from .host_modules import has_only_unmoved_inputs, stays_on_host
from .number_lists import may_be_numbers
from .premises import premises
from .unmoved_sources import comes_of_unmoved_module

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile

_INPUTS = frozenset(Tensor(Device(), graph) for graph in (None, False, True))
# Text that disables recording for a whole program, or leaves outputs without a graph.
_OFF = ("set_grad_enabled(", "requires_grad = False", "requires_grad=False", "requires_grad_(False")


@dataclass(frozen=True, slots=True)
class RefusedConversion:
    """A conversion to an ndarray that raises."""

    place: Place
    tensor: Place
    is_on_device: bool
    """Whether it raises because the tensor is on a GPU; otherwise because it requires grad."""
    is_of_list: bool = False
    """Whether `tensor` is a list, and its items raise."""
    dtype: Numbers | None = None
    """The dtype of the tensor, if it raises for that."""

    @property
    def owner(self) -> tuple[Step, ...]:
        """Return the steps that show, or assume, that the conversion runs, and the tensor is on the GPU, if it must."""
        if not self.is_on_device:
            return ()
        ev = self.place.file.project.evaluator(WITH_CUDA)
        made = made_arrays(ev, self.tensor)
        items = [one.origin for one in made if one.origin is not None] if self.is_of_list else []
        steps = [premises(ev, self.place, one) for one in items or (self.tensor,)]
        shown = next((one for one in steps if any(step.is_assumed for step in one)), steps[0])
        # Inputs of a module are assumed to be tensors; what was moved is one.
        is_input = {one.value for one in made} <= _INPUTS and not any(is_surely_made(ev, one) for one in made)
        if not is_input or _is_method_of(self.place, self.tensor):
            return shown
        return (self.tensor.step("assumes that this is a tensor", is_assumed=True), *shown)


def refused_conversions(ev: Evaluator, file: ParsedFile) -> Iterator[RefusedConversion]:
    """Yield the conversions of a file that raise on a machine with CUDA, each call once."""
    is_elsewhere, last = makes_elsewhere(ev, file), None
    for place, tensor in converted(ev, file):
        if place == last:
            continue
        is_on_device = not is_elsewhere and _is_on_gpu(ev, tensor) and not is_for_host(ev, place)
        # Few tensors are of either kind, and to ask what comes to a place costs most.
        if (is_on_device or _carries_graph(ev, tensor)) and is_reachable(ev, place):
            last = place
            yield RefusedConversion(place, tensor, is_on_device, is_list(ev, tensor))
        elif (numbers := _not_of_numpy(ev, tensor)) is not None and is_reachable(ev, place):
            last = place
            yield RefusedConversion(place, tensor, is_on_device=False, dtype=numbers)


def _is_method_of(call: Place, tensor: Place) -> bool:
    """Tell whether a call is `x.numpy()`, a method that an ndarray has not."""
    match call.expression:
        case ast.Call(func=ast.Attribute(value=owner)):
            return owner is tensor.expression
        case _:
            return False


def _not_of_numpy(ev: Evaluator, tensor: Place) -> Numbers | None:
    """Return the dtype of a tensor that NumPy has not, None if it may have it."""
    if not any(ev.project.library.holding(dtype) for dtype in NOT_OF_NUMPY):
        return None
    numbers = numbers_of(ev, tensor)
    return numbers if numbers is not None and not numbers.is_array and numbers.dtype in NOT_OF_NUMPY else None


def _is_on_gpu(ev: Evaluator, tensor: Place) -> bool:
    """Tell whether a tensor is on a GPU: it was moved to one, or made by a module that may have been moved."""
    possible = made_arrays(ev, tensor)
    devices = {one.value.device if isinstance(one.value, Tensor) else None for one in possible}
    if not devices or not devices.isdisjoint({None, HOST}) or may_be_numbers(ev, tensor):
        return False
    left = (stays_on_host, has_only_unmoved_inputs, is_passed_from_host)
    is_left = devices == {Device()} and any(is_one(ev, tensor) for is_one in left)
    return not is_left and not comes_of_unmoved_module(ev, tensor)


def _carries_graph(ev: Evaluator, tensor: Place) -> bool:
    """Tell whether a tensor surely requires grad."""
    possible = made_arrays(ev, tensor)
    if not possible or not all(isinstance(one.value, Tensor) and one.value.graph is True for one in possible):
        return False
    if any(ev.project.library.holding(text) for text in _OFF) or not _surely_records(ev, tensor):
        return False
    # The items of a list were made before.
    made = [one.origin for one in possible] if is_list(ev, tensor) else []
    return all(at is not None and _surely_records(ev, at) for at in made)


def _surely_records(ev: Evaluator, place: Place) -> bool:
    """Tell whether autograd surely records at a place, in every call context, and no test says it does not."""
    if not is_recorded(place) or is_asked_for(place):
        return False
    return place.scope.kind != "function" or _is_called_recording(ev, Function(place.file, place.scope))


@tabled(False)
def _is_called_recording(ev: Evaluator, function: Function) -> bool:
    callers = ev.callers(function)
    return bool(callers) and all(_surely_records(ev, caller.place) for caller in callers)
