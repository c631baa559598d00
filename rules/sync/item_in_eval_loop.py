"""A number read from the GPU with every batch of an evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity, quoted

from .every_step import EVALUATION_WAITS

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ItemInEvalLoop(Rule):
    """Accumulate on the GPU during an evaluation, and read the result once.

    `.item()`, `float(t)` and similar calls make the host wait until the GPU has computed the value; in an evaluation
    loop, for every batch. The rule is opt-in: evaluation rarely dominates the run time.

    Not reported:

    - reads after the loop, or every N batches
    - values on the host

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
                f"{quoted(wait.place)} {EVALUATION_WAITS.happens}; {EVALUATION_WAITS.advice}",
                trace=story,
                cause=EVALUATION_WAITS.at(story[0].path, story[0].span),
            )
