"""Batch norms of a frozen part that go on counting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DriftingStatistics(Rule):
    """Put a frozen part into eval mode, if its batch norms are to stay as they are.

    `requires_grad = False` freezes parameters. The running mean and variance of a batch norm are buffers: in training
    mode every forward pass updates them, and normalizes by the batch. The frozen part changes with the new data, other
    models that share it get other results, and nothing raises. `model.train()` puts all parts into training mode, so
    `model.backbone.eval()` has to follow it.

    Not reported:

    - parts that are put into eval mode anywhere, and classes with a `train` method of their own
    - parts that a test decides to freeze, and whole models
    - parts without a batch norm, or whose layers are not known

    https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html
    """

    severity = Severity.WARNING
    confidence = Confidence.MEDIUM
    words = ("requires_grad",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.drifting_statistics import drifting_statistics

        for found in drifting_statistics(file.evaluator(), file):
            yield self.finding(
                found.frozen,
                f"{quoted(found.part)} is frozen, but its batch norms update their statistics in training mode;"
                " call `eval()` on it after `train()`",
                trace=(found.called.step("called in training mode here"),),
            )
