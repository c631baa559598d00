"""A scheduler that is stepped more often than it is made for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class OverrunScheduler(Rule):
    """Create `OneCycleLR` for as many steps as the program makes.

    `OneCycleLR` is created for `total_steps`, or for `epochs` times `steps_per_epoch`, and raises `Tried to step 41
    times. The specified number of total steps is 40` with the first step after those, often at the very end of
    training. `steps_per_epoch` is the number of optimizer steps in an epoch: `len(loader)` where each batch is one.

    Not reported:

    - steps whose number is not known, or depends on a test
    - loops that are left early
    - calls in a `try`, or that are expected to raise

    https://docs.pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.OneCycleLR.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("OneCycleLR",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.overrun_schedulers import overrun_schedulers

        for found in overrun_schedulers(file.evaluator(), file):
            told, taken = found.told, found.taken
            how = f"after {int(told.number)} of {taken.number} steps" if not told.of else "before the last epoch ends"
            advice = f"create it for {taken.number}" if not told.of else "create it for all epochs"
            place = found.step if found.step.path == file.path else found.made
            yield self.finding(
                place,
                f"{quoted(place)} raises {how}, as the scheduler was created for fewer; {advice}",
                trace=(found.made.step("created here"), found.step.step("stepped here")),
            )
