"""Gradients that are clipped too late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile


class ClipAfterStep(Rule):
    """Clip gradients before the optimizer steps.

    Clipping gradients after `step()` and before `zero_grad()` has no effect: the step has used gradients of any size,
    and one bad batch can ruin the parameters.

    Not reported:

    - clipping whose result is used, such as a norm that is logged
    - gradients that `backward()` adds to before the next step
    - iterations in which another optimizer steps after it

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
                f"{quoted(late.place)} clips gradients that no step uses; clip them before {quoted(late.step)}",
                trace=(late.step.step("used here"), late.zeroing.step("zeroed here")),
                fix=_moved(late.place, late.step),
            )


def _moved(clip: Call, step: Call) -> Fix | None:
    # The gradients of a scaler's step have to be unscaled first.
    if not clip.is_statement or not step.is_statement or step.arguments:
        return None
    line = step.edits.line_before(clip.text)
    if line is None:
        return None
    return Fix("Clip before the step", (line, *clip.edits.remove()), safe=False, doubt="large updates become smaller")
