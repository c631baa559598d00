"""The whole device waited for with every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class SynchronizeInTrainingLoop(Rule):
    """Let the GPU run ahead: do not synchronize with every step.

    `torch.cuda.synchronize()` makes the host wait until everything on the device is done. PyTorch orders work on a
    stream by itself and waits where a value is read, so within a training loop the call only keeps the GPU idle while
    the host prepares the next step.

    Left alone are calls beside a clock or at the end of what a timer times, which must have them, and calls that run
    now and then.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("synchronize(",)
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "synchronize"):
            edits = wait.place.edits.remove()
            yield self.finding(
                wait.place,
                "waits for everything on the GPU on every step: leave it out, reading a value waits by itself",
                trace=story,
                fix=Fix(
                    "Leave the wait out",
                    edits,
                    safe=False,
                    doubt="times that are taken around it without an event will change",
                )
                if edits
                else None,
            )
