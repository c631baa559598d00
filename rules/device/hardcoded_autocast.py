"""Autocast tied to CUDA in a program that also runs elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile

_BY_DEVICE = ("torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast")
# With 1.10 came autocast for other devices: https://github.com/pytorch/pytorch/releases/tag/v1.10.0
_BY_DEVICE_SINCE = (1, 10)
_ALWAYS_CUDA = ("torch.cuda.amp.autocast", "torch.cuda.amp.autocast_mode.autocast")


class HardcodedAutocast(Rule):
    """Pass autocast the type of the device in use.

    On a machine without CUDA, `autocast("cuda")` and `torch.cuda.amp.autocast()` are disabled with `User provided
    device_type of 'cuda', but CUDA is not available. Disabling`, and on other accelerators they have no effect: a
    program that chooses its device at run time loses mixed precision there without an error. Pass `device.type`
    instead. Ignore the rule if you do not want bfloat16 on the CPU.

    Not reported:

    - autocast behind a test for CUDA, or with `enabled`
    - programs that require CUDA anyway: `hardcoded-cuda` reports those
    - `torch.cuda.amp.autocast()` if `target-torch` is older than 1.10, which has no other

    https://docs.pytorch.org/docs/stable/amp.html
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    words = ("autocast",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.hardcoded import cuda_demands

        tied = [call for call in file.calls(*_BY_DEVICE, *_ALWAYS_CUDA) if _is_tied(call) and not call.is_guarded]
        # A program that raises without CUDA anyway never loses its autocast.
        if not tied or any(True for _ in cuda_demands(file.evaluator(torchlint.WITHOUT_CUDA), file)):
            return
        for call in tied:
            yield self.finding(
                call, f"{quoted(call)} has no effect unless the device is CUDA; pass the device's `type`"
            )


def _is_tied(call: Call) -> bool:
    if call.is_open or "enabled" in call.keywords:
        return False
    # `torch.cuda.amp.autocast if torch.cuda.is_available() else nullcontext` is no autocast there.
    names = call.callee.names_in(torchlint.WITHOUT_CUDA)
    if names.isdisjoint((*_BY_DEVICE, *_ALWAYS_CUDA)):
        return False
    if names & set(_ALWAYS_CUDA):
        target = call.file.project.target_torch
        return not call.arguments and (target is None or target >= _BY_DEVICE_SINCE)
    device = call.argument("device_type", 0)
    return device is not None and device.literals == ("cuda",)
