"""A Python branch on a tensor with every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class TensorBranchInTrainingLoop(Rule):
    """Branch on the GPU, with `torch.where` or a mask, or ask now and then.

    `if`, `while`, `assert`, `and`, `or` and `not` need a Python truth value, so the host waits until the GPU has
    computed the tensor. Within a training loop that happens with every step, as in `if torch.isnan(loss)`. So do
    Python's `max`, `min`, `any` and `all`: `torch.maximum(worst, loss)` compares on the GPU, and
    `torch.stack(checks).any()` asks once for many.

    Left alone are tests of shapes, dtypes and `None`, of numbers that were read already, tests that are made now and
    then, and tensors that are on the host.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("if ", "while ", "assert ", " and ", " or ", "max(", "min(", "any(", "all(")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "branch"):
            yield self.finding(
                wait.place,
                "waits for the GPU on every step: use `torch.where` or a mask, or test once in a while",
                trace=story,
            )
