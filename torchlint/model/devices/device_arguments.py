"""The device arguments of PyTorch's calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call
from torchlint.model.devices.requests import DeviceRequest, device_requests
from torchlint.model.values.value_sets import Tensor
from torchlint.pytorch.needs_cuda import DEVICE_ELSEWHERE

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.model.values.value_sets import Possibility


@dataclass(frozen=True, slots=True)
class DeviceArgument:
    """An argument for a parameter that is a device."""

    call: Call
    place: Place
    _evaluator: Evaluator = field(repr=False, compare=False)

    @property
    def is_sure(self) -> bool:
        """Tell whether the call is surely PyTorch's: one of its functions, or a method of a tensor or module."""
        return _is_torch(self._evaluator, self.call)

    def site(self, one: Possibility) -> Place:
        """Return the place to report for a possibility: where it was made in this file, else the argument."""
        return one.origin if one.origin is not None and one.origin.file is self.call.file else self.place


def _any(_: Place) -> bool:
    return True


def device_arguments(
    ev: Evaluator, file: ParsedFile, matters: Callable[[Place], bool] = _any
) -> Iterator[DeviceArgument]:
    """Yield the device arguments of the calls of a file, of those arguments that matter."""

    def may_matter(request: DeviceRequest) -> bool:
        argument = _argument(request)
        return argument is not None and matters(argument)

    # A call that needs CUDA by its name may have a device argument as well: two requests, and one argument.
    seen: set[Place] = set()
    for request in device_requests(ev, file, may_matter):
        if (argument := _argument(request)) is not None and argument not in seen:
            seen.add(argument)
            yield DeviceArgument(_call(request), argument, ev)


def _call(request: DeviceRequest) -> Call:
    place = request.call
    return Call(place.file, place.expression, place.statement)


def _argument(request: DeviceRequest) -> Place | None:
    if request.argument is not None:
        return request.argument
    call = _call(request)
    positions = {DEVICE_ELSEWHERE.get(name, 0) for name in call.callee.names} or {0}
    return call.argument("device", positions.pop()) if len(positions) == 1 else None


def _is_torch(ev: Evaluator, call: Call) -> bool:
    if any(name.startswith("torch.") for name in call.callee.names):
        return True
    possible = ev.evaluate(call.owner) if call.owner is not None else ()
    return any(isinstance(one.value, Tensor) or is_module(ev, one.value) for one in possible)
