"""A Python branch on a tensor at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class TensorBranchInTrainingLoop(Rule):
    """Branch on the GPU with `torch.where`, or test every N steps.

    `if`, `while`, `assert`, `and`, `or` and `not` need a Python truth value, so the host waits until the GPU has
    computed the tensor. In a training loop this happens in every step, as in `if torch.isnan(loss)`. The same holds for
    Python's `max`, `min`, `any` and `all`: `torch.maximum(worst, loss)` compares on the GPU, and
    `torch.stack(checks).any()` waits once for many.

    Not reported:

    - tests of shapes, dtypes and `None`
    - tests of numbers that were read already
    - tests every N steps
    - tensors on the host

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("if ", "while ", "assert ", " and ", " or ", "max(", "min(", "any(", "all(")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.advice import instead_of_branching, waits_around
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "branch"):
            yield self.finding(
                wait.place,
                f"{quoted(wait.place)} makes the host wait for the GPU in every step; "
                f"{instead_of_branching(wait.place)}",
                trace=story,
                cause=waits_around(wait.place).at(story[0].path, story[0].span),
            )
