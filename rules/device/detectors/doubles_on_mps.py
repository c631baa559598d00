"""Where tensors of doubles are sent to MPS, or made there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of, method_calls_of
from torchlint.model.guards.catching import is_in_try
from torchlint.model.tensors.dtypes import numbers_of
from torchlint.model.values.value_sets import Device, Literal, Tensor
from torchlint.pytorch.dtypes import OF_DATA

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_MPS = "mps"


@dataclass(frozen=True, slots=True)
class SentDouble:
    """A call that puts doubles on a device, what has them, and where the device may be MPS."""

    call: Call
    tensor: Place
    chosen: Place
    is_moved: bool


def doubles_on_mps(ev: Evaluator, file: ParsedFile) -> Iterator[SentDouble]:
    """Yield where a file puts doubles on what may be MPS, in source order of moves and then of makers."""
    for call in method_calls_of(file, frozenset({"to"})):
        if call.owner is not None and (chosen := _mps(ev, call, call.argument("device", 0))) is not None:
            is_tensor = any(isinstance(one.value, Tensor) for one in ev.evaluate(call.owner))
            if is_tensor and len(call.arguments) < 2 and _is_double(ev, call.owner):
                yield SentDouble(call, call.owner, chosen, True)
    for call in calls_of(file, OF_DATA):
        if (chosen := _mps(ev, call, call.argument("device"))) is not None and _is_double(ev, call):
            yield SentDouble(call, call.arguments[0], chosen, False)


def _is_double(ev: Evaluator, tensor: Place) -> bool:
    numbers = numbers_of(ev, tensor)
    return numbers is not None and numbers.dtype == "float64"


def _mps(ev: Evaluator, call: Call, device: Place | None) -> Place | None:
    """Return where it is said that a device is MPS; None where it is not, or a test asks for it on the way."""
    if device is None or call.argument("dtype") is not None or call.is_open or is_in_try(call):
        return None
    if any(_MPS in test.code for test, _ in call.tests):
        return None
    chosen = (one for one in ev.evaluate(device) if one.value == Device(_MPS) or one.value == Literal(_MPS))
    return next((one.origin for one in chosen if one.origin is not None), None)
