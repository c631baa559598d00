"""A scheduler that needs a metric and gets none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class SchedulerWithoutMetric(Rule):
    """Pass the metric to `ReduceLROnPlateau.step()`.

    This scheduler lowers the learning rate when a metric stops improving, and is given the metric with `step(metric)`.
    Without it the call raises `TypeError: ReduceLROnPlateau.step() missing 1 required positional argument: 'metrics'`,
    often after the first epoch has been trained.

    Not reported:

    - objects that may be other schedulers, and classes with a `step` of their own
    - calls in a `try`, or that are expected to raise

    https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".step()",)
    project_words = ("ReduceLROnPlateau",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.metric_schedulers import steps_without_metric

        for call in steps_without_metric(file.evaluator(), file):
            yield self.finding(
                call, f"{quoted(call)} raises, as the scheduler needs a metric; pass the validation loss to `step`"
            )
