"""Autocasts that have no effect unless the device is CUDA: `autocast("cuda")`, `torch.cuda.amp.autocast()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, calls_of
from torchlint.pytorch.autocast import BY_DEVICE, OF_CUDA, SINCE

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


def autocasts_of_cuda(ev: Evaluator, file: ParsedFile) -> Iterator[Call]:
    """Yield the autocasts of a file that are for CUDA whatever the machine has; `ev` answers for one without it."""
    for call in calls_of(file, BY_DEVICE | OF_CUDA):
        if _is_tied(ev, call) and not call.is_guarded:
            yield call


def _is_tied(ev: Evaluator, call: Call) -> bool:
    if call.is_open or "enabled" in call.keywords:
        return False
    # `torch.cuda.amp.autocast if torch.cuda.is_available() else nullcontext` is no autocast there.
    names = call.callee.names_in(ev.world)
    if names.isdisjoint(BY_DEVICE | OF_CUDA):
        return False
    if names & OF_CUDA:
        target = call.file.project.target_torch
        return not call.arguments and (target is None or target >= SINCE["autocast"])
    device = call.argument("device_type", 0)
    return device is not None and device.literals == ("cuda",)
