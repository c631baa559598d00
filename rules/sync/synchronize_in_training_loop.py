"""A wait for the whole device at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Fix, Rule, Severity, quoted

from .every_step import SYNCHRONIZATIONS

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class SynchronizeInTrainingLoop(Rule):
    """Do not synchronize the GPU in every step.

    `torch.cuda.synchronize()` makes the host wait until all work on the device is done. PyTorch orders the work on a
    stream itself and waits where a value is read, so in a training loop the call only keeps the GPU idle while the host
    prepares the next step.

    Not reported:

    - calls beside a clock or at the end of what a timer measures, which need them
    - calls every N steps

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
                f"{quoted(wait.place)} waits for all work on the GPU in every step; "
                "remove it, as reading a value waits anyway",
                trace=story,
                cause=SYNCHRONIZATIONS.at(story[0].path, story[0].span),
                fix=Fix(
                    "Remove the call",
                    edits,
                    safe=False,
                    doubt="times measured around it without an event change",
                )
                if edits
                else None,
            )
