"""Where a program needs a device: the calls with a device argument, and what that is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.attributes.namespaces import NAMESPACES
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.devices.literals import devices_of, is_read_off
from torchlint.model.devices.moving import device_argument
from torchlint.model.guards.cuda import is_guarded
from torchlint.model.modules.empty_modules import is_empty
from torchlint.model.place import Place
from torchlint.model.training.frameworks import is_for_another
from torchlint.model.values.value_sets import Device, Function, Imported, Instance, Possibility, PythonFile, Unknown
from torchlint.pytorch.autocast import SINCE
from torchlint.pytorch.device_arguments import DEVICE_FIRST
from torchlint.pytorch.needs_cuda import NEEDS_CUDA
from torchlint.pytorch.streams import STREAM
from torchlint.pytorch.symbols import LOAD
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# What warns and disables itself if there is no CUDA.
_HARMLESS = tuple(SINCE)
_KEYWORDS = ("device", "map_location")
# Its value "cuda" is a device: `from_pretrained(name, device_map="cuda")`; "auto" distributes the model.
# https://huggingface.co/docs/accelerate/concept_guides/big_model_inference
_DEVICE_MAP = "device_map"


@dataclass(frozen=True, slots=True)
class DeviceRequest:
    """A call that needs a device: the argument that names it, or None if the call itself means CUDA."""

    call: Place
    argument: Place | None

    def devices(self, ev: Evaluator) -> tuple[tuple[Device, Possibility | None], ...]:
        """Return the devices that may be requested, each with the possibility that names it."""
        if self.argument is None:
            return ((Device("cuda"), None),)
        return devices_of(ev.evaluate(self.argument))

    def asks_for_cuda(self, ev: Evaluator) -> bool:
        """Tell whether one of the devices that may be requested is a CUDA device."""
        return any(device.kind == "cuda" for device, _ in self.devices(ev))


def _any(_: DeviceRequest) -> bool:
    return True


def device_requests(
    ev: Evaluator, file: ParsedFile, matters: Callable[[DeviceRequest], bool] = _any
) -> Iterator[DeviceRequest]:
    """Yield the device requests of a file, of those that matter.

    A program has few devices, from few sources: what they are is soon known, while each call has a tensor or module of
    its own to evaluate.
    """
    for call, statement in file.index.calls("cuda"):
        place = Place(file, call, statement)
        request = DeviceRequest(place, None)
        if not isinstance(call.func, ast.Attribute) or not matters(request):
            continue
        argument = device_argument(call, "cuda")
        # `x.cuda(y.device)` moves to where another tensor is already.
        is_elsewhere = argument is not None and any(is_read_off(one) for one in ev.evaluate(place.at(argument)))
        if not is_elsewhere and _is_moved(ev, place.at(call.func.value), "cuda"):
            yield request
    for call, statement in file.index.calls("to"):
        place = Place(file, call, statement)
        argument = device_argument(call, "to")
        if argument is None or not isinstance(call.func, ast.Attribute):
            continue
        request = DeviceRequest(place, place.at(argument))
        if matters(request) and _is_moved(ev, place.at(call.func.value), "to"):
            yield request
    yield from _functions(ev, file, matters)
    yield from _keywords(ev, file, matters)


def cuda_requests(ev: Evaluator, file: ParsedFile) -> Iterator[DeviceRequest]:
    """Yield the calls of a file that may request a CUDA device from PyTorch."""
    if is_for_another(file):
        return iter(())
    return device_requests(ev, file, lambda request: request.asks_for_cuda(ev))


def _is_moved(ev: Evaluator, owner: Place, method: str) -> bool:
    """Tell whether the owner of `.to(…)` or `.cuda(…)` may be a tensor or module, not of a class with its own."""
    possible = ev.evaluate(owner)
    seen = [one for one in possible if not isinstance(one.value, Unknown)]
    if seen and all(is_empty(ev, one) for one in seen):
        return False
    for one in possible:
        match one.value:
            case Imported() | PythonFile():
                return False
            case Instance(kind=kind) if not is_module(ev, one.value):
                own = method_of(ev, kind, method)
                if own is not None and not (method == "cuda" and _needs_cuda(ev, own)):
                    return False
    return True


def _needs_cuda(ev: Evaluator, own: Function) -> bool:
    """Tell whether a class's own `cuda()` requests a device unconditionally: then so do its callers."""
    calls = (
        Place(own.file, call, at) for call, at in own.file.calls_in_scope(own.scope) if callee_name(call) == "cuda"
    )
    return any(not is_guarded(ev, call) for call in calls)


def _functions(ev: Evaluator, file: ParsedFile, matters: Callable[[DeviceRequest], bool]) -> Iterator[DeviceRequest]:
    for full in sorted(NEEDS_CUDA | DEVICE_FIRST):
        for call, statement in file.index.calls(full.rpartition(".")[2]):
            place = Place(file, call, statement)
            if full not in NEEDS_CUDA and (not call.args or _is_compared(place) or _is_replaced(ev, place)):
                continue
            request = DeviceRequest(place, _device_first(full, place, call))
            if matters(request) and full in _names(ev, place):
                yield request
    for call, statement in file.index.calls("load"):
        place = Place(file, call, statement)
        request = DeviceRequest(place, place.at(call.args[1]) if len(call.args) > 1 else None)
        if request.argument is not None and matters(request) and LOAD in _names(ev, place):
            yield request


def _device_first(full: str, place: Place, call: ast.Call) -> Place | None:
    """Return the argument that names the device, None if the function itself means CUDA."""
    if full == STREAM:
        given = passed(call, "device", 0)
        return place.at(given) if given is not None else None
    return place.at(call.args[0]) if full not in NEEDS_CUDA else None


def _is_compared(place: Place) -> bool:
    """Tell whether a device is only compared, which requests nothing: `x.device != torch.device("cuda")`."""
    parent = place.file.parents_in(place.statement).get(place.expression)
    return isinstance(parent, ast.Compare) or (isinstance(parent, ast.Attribute) and parent.attr in {"type", "index"})


def _is_replaced(ev: Evaluator, place: Place) -> bool:
    """Tell whether a device is the default of a parameter that is never read, or that every caller passes."""
    if not isinstance(place.statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    function = place.file.index.scope_of(place.statement)
    parameter = next((one for one in function.parameters if one.default is place.expression), None)
    if parameter is None:
        return False
    if parameter.name not in place.file.reads_in(place.statement):
        return True
    callers = ev.callers(Function(place.file, function))
    return bool(callers) and all(caller.argument(parameter) for caller in callers)


def _keywords(ev: Evaluator, file: ParsedFile, matters: Callable[[DeviceRequest], bool]) -> Iterator[DeviceRequest]:
    for call, statement in file.index.expressions(ast.Call):
        for word in call.keywords:
            if word.arg in (*_KEYWORDS, _DEVICE_MAP) and not _is_text_only(call):
                place = Place(file, call, statement)
                request = DeviceRequest(place, place.at(word.value))
                if word.arg == _DEVICE_MAP and not request.asks_for_cuda(ev):
                    continue
                if not matters(request) or any(map(_is_harmless, _names(ev, place))):
                    continue
                if not _is_rebound(ev, place, word.arg):
                    yield request


def _is_harmless(name: str) -> bool:
    """Tell whether a function disables itself if there is no CUDA, or only stores its arguments."""
    return name.endswith(_HARMLESS) or name in NAMESPACES


def _is_rebound(ev: Evaluator, call: Place, parameter: str) -> bool:
    """Tell whether a function of the project rebinds its device parameter: the value it uses is another request."""
    callees = ev.callees(call)
    return bool(callees) and all(len(one.scope.bindings.get(parameter, ())) > 1 for one in callees)


def _is_text_only(call: ast.Call) -> bool:
    """Tell whether `device=` belongs to something else, or to a call that is a request already: `.to(device=…)`."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in {"add_argument", "to", "format", "info", "debug"}


def _names(ev: Evaluator, place: Place) -> frozenset[str]:
    call = place.expression
    assert isinstance(call, ast.Call)
    return place.at(call.func).names_in(ev.world)
