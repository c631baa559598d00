"""Learning rates that no step is made with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

# Until then, a scheduler's step set the rate of the iteration that followed.
_SINCE = (1, 1)


_WHERE = {True: ", in every N-th iteration", False: ""}


class SchedulerBeforeOptimizer(Rule):
    """Step the learning rate scheduler after the optimizer.

    Since PyTorch 1.1 a scheduler sets its first learning rate when it is created, and `step()` sets the next one. If
    that is called at the beginning of an iteration, as was right before 1.1, the first learning rate is never used: all
    milestones come one iteration early, a warm-up starts higher, and PyTorch warns.

    The same holds for gradient accumulation where the optimizer steps in every N-th iteration, but the scheduler in
    each: it starts before the optimizer, and finishes its schedule N times too early.

    Not reported:

    - schedulers of other packages, and those with a `step` of their own
    - schedulers that are passed the epoch or a metric
    - calls behind a test, other than whether there is a scheduler
    - calls before which any code may have stepped the optimizer

    https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("lr_scheduler", "sched")
    project_words = ("lr_scheduler", "Schedule", "_schedule")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.early_schedulers import early_schedulers

        target = file.oldest_torch
        if target is not None and target < _SINCE:
            return
        for found in early_schedulers(file.evaluator(), file):
            yield self.finding(
                found.place,
                f"{quoted(found.place)} is called in every iteration, {quoted(found.update)} in every N-th; "
                "call both together"
                if found.is_more_often
                else f"{quoted(found.place)} skips the first learning rate; call it after {quoted(found.update)}",
                trace=(found.update.step(f"the optimizer steps here{_WHERE[found.is_more_often]}"),),
                confidence=None if found.is_sure else Confidence.MEDIUM,
            )
