"""Learning rates that no step is made with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

# Until then, a scheduler's step set the rate of the round that it stood before.
_SINCE = (1, 1)


_WHERE = {True: "with every n-th batch", False: "further down"}


class SchedulerBeforeOptimizer(Rule):
    """Step the scheduler of the learning rate after the optimizer.

    Since PyTorch 1.1 a scheduler sets its first rate when it is made, and `step()` sets the next. Where that is called
    at the beginning of a round, as was right before 1.1, no step is ever made with the first rate: all milestones come
    one round early, a warm-up starts higher, and PyTorch warns.

    So it is where gradients are accumulated, and the optimizer steps with every n-th batch, but the scheduler with
    each: it begins before the optimizer, and is through its schedule n times too early.

    Left alone are schedulers of other packages, those with a `step` of their own, those that are told the epoch or what
    they go by, calls under a test, and those that anything above may have stepped the optimizer before.

    https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("lr_scheduler", "sched")
    project_words = ("lr_scheduler",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.early_schedulers import early_schedulers

        target = file.project.target_torch
        if target is not None and target < _SINCE:
            return
        for found in early_schedulers(file.evaluator(), file):
            yield self.finding(
                found.place,
                "goes on with every batch, the optimizer only with every n-th: step the scheduler beside it"
                if found.is_more_often
                else "skips the first learning rate: step the scheduler after the optimizer",
                trace=(found.update.step(f"the optimizer steps here, {_WHERE[found.is_more_often]}"),),
                confidence=None if found.is_sure else Confidence.MEDIUM,
            )
