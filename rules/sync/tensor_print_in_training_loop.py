"""A tensor printed or logged at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class TensorPrintInTrainingLoop(Rule):
    """Print and log tensors every N steps, not in every step.

    Converting a tensor to text makes the host wait for the GPU: an f-string of a single number once, `print(loss)` of
    the tensor itself eight times, a vector dozens of times. Progress bars and writers of scalars read it the same way.

    Not reported:

    - lines that run every N steps or behind a test of the log level
    - numbers that were read already
    - tensors of one element that were read already, if nothing was queued for the GPU since
    - shapes

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("print(", "{", "%", ".format(", "add_scalar", "set_postfix", "set_description", ".info(", "log")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.advice import instead_of_showing, waits_around
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "text"):
            yield self.finding(
                wait.place,
                f"{quoted(wait.place)} makes the host wait for the GPU in every step; {instead_of_showing(wait.place)}",
                trace=story,
                cause=waits_around(wait.place).at(story[0].path, story[0].span),
            )
