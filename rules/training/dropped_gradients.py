"""Gradients that are zeroed before a step has used them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile

_MESSAGES = {
    "zeroed between": "drops the gradients before the step that is to use them: zero them after it",
    "zeroed each round": "drops the gradients of all rounds but the last before each step: zero them after it",
}


class DroppedGradients(Rule):
    """Zero the gradients after the step that uses them, or before they are computed.

    Between `backward()` and `step()`, `zero_grad()` leaves the optimizer nothing to go by, and no parameter changes.
    Where a step is to be made with the gradients of several rounds, zeroing them in every round leaves those of the
    last one: the batch is a fraction of what it is said to be, and no error says so.

    Left alone is what reads or sets gradients by hand, what may compute some between, and rounds in which other
    optimizers step.

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
                    _MESSAGES[lost.how],
                    trace=(lost.backward.step("computed here"), lost.step.step("to be used here")),
                    fix=_moved(lost.zeroing, lost.step),
                )


def _moved(zeroing: Call, step: Call) -> Fix | None:
    if not zeroing.is_statement or not step.is_statement:
        return None
    line = step.edits.line_after(zeroing.text)
    if line is None:
        return None
    edits = (*zeroing.edits.remove(), line)
    return Fix("Zero after the step", edits, safe=False, doubt="training takes other steps")
