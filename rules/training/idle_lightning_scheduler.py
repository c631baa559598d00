"""A scheduler that Lightning is given, and leaves to the program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class IdleLightningScheduler(Rule):
    """Step the schedulers of a LightningModule with manual optimization.

    With `automatic_optimization = False` Lightning steps neither the optimizers nor the schedulers that
    `configure_optimizers` returns. Without `self.lr_schedulers().step()` in `training_step` or `on_train_epoch_end` the
    learning rate stays what it is at the start, and no warning says so.

    Not reported:

    - projects that ask for `lr_schedulers`, and files that step anything that is called like a scheduler
    - modules whose optimization is manual in some runs only

    https://lightning.ai/docs/pytorch/stable/model/manual_optimization.html#learning-rate-scheduling
    https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("def configure_optimizers(",)
    project_words = ("automatic_optimization",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.idle_schedulers import idle_schedulers

        for idle in idle_schedulers(file.evaluator(), file):
            yield self.finding(
                idle.scheduler,
                f"{quoted(idle.scheduler)} is never stepped, as Lightning leaves that to manual optimization; call"
                " `self.lr_schedulers().step()`",
                trace=(idle.manual.step("optimization is manual here"),),
            )
