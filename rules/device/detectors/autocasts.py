"""Autocasts that have no effect unless the device is CUDA: `autocast("cuda")`, `torch.cuda.amp.autocast()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.pytorch.autocast import BY_DEVICE, OF_CUDA, SINCE
from torchlint.quoting import LONGEST

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def autocasts_of_cuda(ev: Evaluator, file: ParsedFile) -> Iterator[Call]:
    """Yield the autocasts of a file that are for CUDA whatever the machine has; `ev` answers for one without it."""
    for call in calls_of(file, BY_DEVICE | OF_CUDA):
        if _is_tied(ev, call) and not call.is_guarded:
            yield call


def _is_tied(ev: Evaluator, call: Call) -> bool:
    enabled = call.keywords.get("enabled")
    if call.is_open or (enabled is not None and enabled.literals != (True,)):
        return False
    # `torch.cuda.amp.autocast if torch.cuda.is_available() else nullcontext` is no autocast there.
    names = call.callee.names_in(ev.world)
    if names.isdisjoint(BY_DEVICE | OF_CUDA):
        return False
    if names & OF_CUDA:
        target = call.file.oldest_torch
        return not call.arguments and (target is None or target >= SINCE["autocast"])
    device = call.argument("device_type", 0)
    return device is not None and device.literals == ("cuda",)


def as_subject(call: Call) -> str:
    """Return the code of a call for a message, with the device that it says however long its other arguments are."""
    device = call.arguments[0] if call.arguments else call.keywords.get("device_type")
    if len(call.code) <= LONGEST or device is None or not isinstance(call.expression, ast.Call):
        return call.code
    name = "" if call.arguments else "device_type="
    return f"{ast.unparse(call.expression.func)}({name}{device.code}, …)"
