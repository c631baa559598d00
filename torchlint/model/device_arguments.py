"""What PyTorch's calls are given for a device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.classes import is_module
from torchlint.model.requests import device_requests
from torchlint.model.values import Tensor

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.place import Place
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.values import Possibility


@dataclass(frozen=True, slots=True)
class DeviceArgument:
    """An argument that stands where a device is expected."""

    call: Call
    place: Place
    is_sure: bool
    """Whether the call is PyTorch's for sure: one of its functions, or a method of a tensor or module."""

    def site(self, one: Possibility) -> Place:
        """Return where to point at for a possibility: where it was made in this file, else the argument."""
        return one.origin if one.origin is not None and one.origin.file is self.call.file else self.place


def device_arguments(ev: Evaluator, file: SourceFile) -> Iterator[DeviceArgument]:
    """Yield what the calls of a file are given for a device."""
    for request in device_requests(ev, file):
        place = request.call
        call = Call(place.file, place.expression, place.statement)
        argument = request.argument or call.argument("device", 0)
        if argument is not None:
            yield DeviceArgument(call, argument, _is_torch(ev, call))


def _is_torch(ev: Evaluator, call: Call) -> bool:
    if any(name.startswith("torch.") for name in call.callee.names):
        return True
    possible = ev.evaluate(call.owner) if call.owner is not None else ()
    return any(isinstance(one.value, Tensor) or is_module(ev, one.value) for one in possible)
