"""Gradients that are clipped too late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class ClipAfterStep(Rule):
    """Clip gradients before the optimizer steps.

    What limits them after `step()`, and before `zero_grad()`, changes nothing: the step has gone by gradients of any
    size, and one bad batch can spoil the parameters for good.

    Left alone is clipping whose result is used, as a norm to be logged; gradients that more are added to before the
    next step; and rounds in which another optimizer steps behind it.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("clip_grad",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.late_clips import late_clips

        for late in late_clips(file.evaluator(), file):
            yield self.finding(
                late.place,
                "limits gradients that no step uses any more: clip them before the optimizer steps",
                trace=(late.step.step("used here"), late.zeroing.step("zeroed here")),
                fix=_moved(late.place, late.step),
            )


def _moved(clip: Call, step: Call) -> Fix | None:
    # What a gradient scaler steps has to be unscaled first.
    if not clip.is_statement or not step.is_statement or step.arguments:
        return None
    line = step.edits.line_before(clip.text)
    if line is None:
        return None
    return Fix("Clip before the step", (line, *clip.edits.remove()), safe=False, doubt="large steps become smaller")
