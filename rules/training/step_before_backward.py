"""Steps that come before the gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class StepBeforeBackward(Rule):
    """Compute the gradients before the optimizer steps.

    A round that zeroes the gradients, steps, and calls `backward()` last steps without any: what it computes is zeroed
    by the next round. No parameter ever changes, and no error says so.

    Left alone are rounds that step first and zero then, which go by the gradients of the round before; functions that
    step the optimizer elsewhere, too; and what may compute gradients between.

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
                    "comes before the gradients of its round, which are zeroed again: step after `backward()`",
                    trace=(lost.zeroing.step("zeroed here"), lost.backward.step("computed here, too late")),
                )
