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
    loop, in every iteration. The rule is opt-in: evaluation rarely dominates the run time.

    Not reported:

    - reads after the loop, or every N batches
    - what decides whether the loop goes on, or is yielded: a model that generates text needs each token at once
    - values on the host

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.INFO
    confidence = Confidence.MEDIUM
    default = False
    words = (".item(", "float(", "int(", "bool(", ".tolist(")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.needed_at_once import is_needed_at_once
        from .detectors.repeated_waits import waits_every_batch

        for wait, story in waits_every_batch(file.evaluator(), file, "scalar"):
            if is_needed_at_once(file.evaluator(), wait.place):
                continue
            yield self.finding(
                wait.place,
                f"{quoted(wait.place)} {EVALUATION_WAITS.happens}; {EVALUATION_WAITS.advice}",
                trace=story,
                cause=EVALUATION_WAITS.at(story[0].path, story[0].span),
            )
