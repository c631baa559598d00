"""An optimizer that every epoch makes again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class OptimizerInEpochLoop(Rule):
    """Create the optimizer once, before the epochs.

    `Adam` and the like keep moments of the gradients and count their steps, and so does `SGD` with momentum. An
    optimizer that is created in every epoch, or for every batch, loses them each time: the first steps of `Adam` are
    as large as the learning rate, whatever the gradient is, and its averages are of a few batches. A learning rate that
    a scheduler has lowered is back, too. Nothing raises, and the model trains worse.

    Not reported:

    - `SGD` without momentum, which keeps nothing, and `LBFGS`
    - modules that the loop makes, resets, loads or freezes
    - arguments that depend on the epoch
    - loops over folds, trials and clients

    https://docs.pytorch.org/docs/stable/optim.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("optim", "Optim", "Adam", "SGD", "RMSprop")
    project_words = ("epoch", "loader", "batch")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.rebuilt_optimizers import rebuilt_optimizers

        for found in rebuilt_optimizers(file.evaluator(), file):
            steps = [found.loop.step("in each iteration of this loop")]
            steps += [found.caller.step("which comes here")] if found.caller is not None else []
            yield self.finding(
                found.made,
                f"{quoted(found.made)} drops the state of the optimizer in every iteration; create it before the loop",
                trace=tuple(steps),
            )
