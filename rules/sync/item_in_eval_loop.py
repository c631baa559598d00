"""A number read off the GPU with every batch of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ItemInEvalLoop(Rule):
    """Count on the GPU during an evaluation, and read the result once.

    `.item()`, `float(t)` and the like make the host wait until the GPU has computed the number; within an evaluation
    loop with every batch. The rule is opt-in: evaluation is seldom where the time goes.

    Left alone are reads after the loop, reads that happen now and then, and what is on the host.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.INFO
    confidence = Confidence.MEDIUM
    default = False
    words = (".item(", "float(", "int(", "bool(", ".tolist(")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_waits import waits_every_batch

        for wait, story in waits_every_batch(file.evaluator(), file, "scalar"):
            yield self.finding(
                wait.place,
                "waits for the GPU with every batch: count in a tensor and read it once after the loop",
                trace=story,
            )
