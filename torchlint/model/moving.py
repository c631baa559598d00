"""Where a call that moves a module leaves it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlint.model.devices import is_data_type, is_read_off, tensor_device
from torchlint.model.methods import device_argument
from torchlint.model.place import Place
from torchlint.model.values import HOST, Device, Tensor

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator

MOVES = frozenset({"to", "cuda", "cpu"})
AT_RUN_TIME = Device()
"""A device that nobody can name here: whoever moves something there means that it may be a GPU."""


def moved_by(ev: Evaluator, call: Place, method: str, before: Device | None) -> Device | None:
    """Return where `.to(…)`, `.cuda(…)` or `.cpu()` leaves a module."""
    assert isinstance(call.expression, ast.Call)
    if method == "cpu":
        return HOST
    argument = device_argument(call.expression, method)
    if argument is None:
        return Device("cuda") if method == "cuda" else before
    values = ev.evaluate(call.at(argument))
    if any(is_data_type(one) for one in values):
        return before  # `model.to(torch.float16)`
    if len(values) == 1 and isinstance(values[0].value, Tensor):
        return values[0].value.device
    if any(is_read_off(one) for one in values):
        return None
    return tensor_device(values) or AT_RUN_TIME


def agreed(found: Iterable[Device | None]) -> Device | None:
    """Return the device that all ways lead to; where they lead to several, all but the host, one chosen at run time."""
    devices = set(found)
    if len(devices) == 1:
        return devices.pop()
    return None if not devices or None in devices or HOST in devices else AT_RUN_TIME
