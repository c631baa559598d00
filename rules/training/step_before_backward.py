"""Steps that come before the gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class StepBeforeBackward(Rule):
    """Compute the gradients before the optimizer steps.

    An iteration that zeroes the gradients, steps, and then calls `backward()` steps without gradients: the next
    iteration zeroes what it computes. No parameter ever changes, and no error says so.

    Not reported:

    - iterations that step first and zero then, which use the gradients of the previous iteration
    - functions that also step the optimizer elsewhere
    - code that may compute gradients in between

    https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("zero_grad",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.lost_gradients import lost_gradients

        for lost in lost_gradients(file.evaluator(), file):
            if lost.how == "stepped first":
                yield self.finding(
                    lost.step,
                    f"{quoted(lost.step)} is called before `backward()`, whose gradients are then zeroed; "
                    "call it after",
                    trace=(lost.zeroing.step("zeroed here"), lost.backward.step("computed here, too late")),
                )
