"""Conversions of tensors to ndarrays that raise: of tensors on a GPU, and of those that require grad."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.devices.default_device import makes_elsewhere
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_asked_for, is_recorded
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Device, Function, Imported, Tensor
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.numpy_calls import NO_ARRAY_OF_LIST, NO_ARRAY_OF_TENSOR
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import parent_of
from torchlint.syntax.last_names import root_of

from .given_to_numpy import is_list, made_arrays
from .host_modules import has_only_unmoved_inputs, stays_on_host
from .moved_owners import owner_on_gpu
from .number_lists import may_be_numbers

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile

# Text that disables recording for a whole program, or leaves outputs without a graph.
_OFF = ("set_grad_enabled(", "requires_grad = False", "requires_grad=False", "requires_grad_(False")
_OTHER_NAMES = (ast.Name, ast.Attribute, ast.IfExp)


@dataclass(frozen=True, slots=True)
class RefusedConversion:
    """A conversion to an ndarray that raises."""

    place: Place
    tensor: Place
    is_on_device: bool
    """Whether it raises because the tensor is on a GPU; otherwise because it requires grad."""
    is_of_list: bool = False
    """Whether `tensor` is a list, and its items raise."""

    @property
    def owner(self) -> tuple[Step, ...]:
        """Return the step that shows, or assumes, that the module of a method is on the GPU, if it must be."""
        return owner_on_gpu(self.place.file.project.evaluator(WITH_CUDA), self.tensor) if self.is_on_device else ()


def refused_conversions(ev: Evaluator, file: ParsedFile) -> Iterator[RefusedConversion]:
    """Yield the conversions of a file that raise on a machine with CUDA."""
    is_elsewhere = makes_elsewhere(ev, file)
    for place, tensor in _conversions(ev, file):
        is_on_device = not is_elsewhere and _is_on_gpu(ev, tensor)
        # Few tensors are of either kind, and to ask what comes to a place costs most.
        if (is_on_device or _carries_graph(ev, tensor)) and is_reachable(ev, place):
            yield RefusedConversion(place, tensor, is_on_device, is_list(ev, tensor))


def _is_on_gpu(ev: Evaluator, tensor: Place) -> bool:
    """Tell whether a tensor is on a GPU: it was moved to one, or made by a module that may have been moved."""
    possible = made_arrays(ev, tensor)
    devices = {one.value.device if isinstance(one.value, Tensor) else None for one in possible}
    if not devices or not devices.isdisjoint({None, HOST}) or may_be_numbers(ev, tensor):
        return False
    return devices != {Device()} or not (stays_on_host(ev, tensor) or has_only_unmoved_inputs(ev, tensor))


def _conversions(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, Place]]:
    """Yield `t.numpy()` and `np.mean(t)`, each with the tensor."""
    for call, statement in file.index.calls("numpy"):
        if isinstance(call.func, ast.Attribute) and not call.args and not call.keywords:
            place = Place(file, call, statement)
            yield place, place.at(call.func.value)
    if not file.says("numpy"):
        return
    for call, statement in file.index.expressions(ast.Call):
        if isinstance(call.func, (ast.Name, ast.Attribute)) and call.args and not isinstance(call.args[0], ast.Starred):
            place = Place(file, call, statement)
            if _may_be_imported(place.at(call.func)) and _makes_array(ev, place.at(call.func), place.at(call.args[0])):
                yield place, place.at(call.args[0])


def _may_be_imported(function: Place) -> bool:
    """Tell whether the root of a name may be imported, or an alias; most names are not."""
    root = root_of(function.expression)
    bindings = function.scope.seen(root.id) if isinstance(root, ast.Name) else ()
    return bindings is None or any(one.kind == "import" or isinstance(one.value, _OTHER_NAMES) for one in bindings)


def _makes_array(ev: Evaluator, function: Place, given: Place) -> bool:
    """Tell whether a function is one of NumPy that makes an ndarray of its first argument."""
    names = [one.value.name if isinstance(one.value, Imported) else "" for one in ev.evaluate(function)]
    if not names or not all(name.startswith("numpy.") for name in names):
        return False
    if not is_list(ev, given):
        return NO_ARRAY_OF_TENSOR.isdisjoint(names)
    # A function outside NumPy may keep a list unchanged, and so may one whose items stay objects.
    are_own = all(name.count(".") == 1 for name in names) and NO_ARRAY_OF_LIST.isdisjoint(names)
    call = parent_of(function)
    return are_own and call is not None and passed(call, "dtype") is None


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
