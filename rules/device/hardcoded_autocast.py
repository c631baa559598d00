"""Autocast tied to CUDA in a program that also runs elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class HardcodedAutocast(Rule):
    """Pass autocast the type of the device in use.

    On a machine without CUDA, `autocast("cuda")` and `torch.cuda.amp.autocast()` are disabled with `User provided
    device_type of 'cuda', but CUDA is not available. Disabling`, and on other accelerators they have no effect: a
    program that chooses its device at run time loses mixed precision there without an error. Pass `device.type`
    instead, or `device` if that is a string. Ignore the rule if you do not want bfloat16 on the CPU.

    Not reported:

    - autocast behind a test for CUDA, or with an `enabled` that is not simply `True`
    - programs that require CUDA anyway: `hardcoded-cuda` reports those
    - `torch.cuda.amp.autocast()` if `target-torch` is older than 1.10, which has no other

    https://docs.pytorch.org/docs/stable/amp.html
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    words = ("autocast",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.autocasts import as_subject, autocasts_of_cuda
        from .detectors.device_types import device_type
        from .detectors.hardcoded import cuda_demands

        tied = list(autocasts_of_cuda(file.evaluator(torchlint.WITHOUT_CUDA), file))
        # A program that raises without CUDA anyway never loses its autocast.
        if not tied or any(True for _ in cuda_demands(file.evaluator(torchlint.WITHOUT_CUDA), file)):
            return
        names = file.device_names(tied)
        for call in tied:
            yield self.finding(
                call,
                f"{quoted(as_subject(call))} has no effect unless the device is CUDA; "
                f"pass the device's type, `{device_type(call, names)}`",
            )
