"""Gradients that are zeroed before a step has used them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile

_MESSAGES = {
    "zeroed between": "{} zeroes the gradients before {} uses them; zero them after it",
    "zeroed each round": "{} zeroes accumulated gradients, so {} uses only the last; zero them after it",
}


class DroppedGradients(Rule):
    """Zero gradients after the step that uses them, or before `backward()`.

    `zero_grad()` between `backward()` and `step()` leaves the optimizer no gradients, and no parameter changes. If a
    step is meant to use the gradients of several iterations, zeroing them in every iteration leaves those of the last
    one: the effective batch is smaller than intended, and no error says so.

    Not reported:

    - programs that read or set `.grad` themselves
    - code that may compute gradients in between
    - iterations in which other optimizers step
    - modules that are made after the backward pass

    https://docs.pytorch.org/docs/stable/optim.html#taking-an-optimization-step
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("zero_grad",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.lost_gradients import lost_gradients

        seen: set[int] = set()
        for lost in lost_gradients(file.evaluator(), file):
            if lost.how != "stepped first" and lost.zeroing.line not in seen:
                seen.add(lost.zeroing.line)
                yield self.finding(
                    lost.zeroing,
                    _MESSAGES[lost.how].format(quoted(lost.zeroing), quoted(lost.step)),
                    trace=(lost.backward.step("computed here"), lost.step.step("meant to be used here")),
                    fix=_moved(lost.zeroing, lost.step),
                )


def _moved(zeroing: Call, step: Call) -> Fix | None:
    if not zeroing.is_statement or not step.is_statement:
        return None
    line = step.edits.line_after(zeroing.text)
    if line is None:
        return None
    edits = (*zeroing.edits.remove(), line)
    return Fix("Zero after the step", edits, safe=False, doubt="training changes")
