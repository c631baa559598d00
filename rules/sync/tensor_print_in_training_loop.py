"""A tensor printed or logged with every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class TensorPrintInTrainingLoop(Rule):
    """Print and log now and then, not with every step.

    Turning a tensor into text makes the host wait for the GPU: an f-string of a single number once, `print(loss)` of
    the tensor itself eight times, a vector dozens of times. A progress bar and a writer of scalars read it just so.

    Left alone are lines that run now and then or behind a test of the log level, numbers that were read already, and
    shapes.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("print(", "{", "%", ".format(", "add_scalar", "set_postfix", "set_description", ".info(", "log")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "text"):
            yield self.finding(
                wait.place,
                "waits for the GPU on every step: print or log once in a while",
                trace=story,
            )
