"""A schedule that is too short by the number of processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.divided_schedules import DividedSchedule


class ScheduleDividedByProcesses(Rule):
    """Give a scheduler that Accelerate prepares the steps of all processes.

    A prepared scheduler steps `num_processes` times with each step of the optimizer, since every process trains on
    another batch. A length that is divided by `accelerator.num_processes`, or computed from the length of a prepared
    loader, which is divided already, ends the schedule after 1/N of the training with N processes: from there on the
    learning rate is that of its end, often 0. With one process nothing shows.

    Not reported:

    - accelerators with `split_batches`, `dataloader_config` or `step_scheduler_with_optimizer`
    - schedulers that are not prepared, and lengths that are multiplied by the number again
    - lengths that come from a parameter or an attribute

    https://huggingface.co/docs/accelerate/concept_guides/performance#learning-rates
    https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".prepare",)
    project_words = ("accelerate",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.divided_schedules import divided_schedules

        for found in divided_schedules(file.evaluator(), file):
            yield self.finding(
                found.divided,
                f"{quoted(found.divided)} ends the schedule early, as a prepared scheduler makes `num_processes` steps"
                " at once; do not divide the steps",
                trace=(
                    found.scheduler.step("the scheduler is made with it here"),
                    found.prepared.step("the scheduler is prepared here"),
                ),
                fix=_undivided(found),
            )


def _undivided(found: DividedSchedule) -> Fix | None:
    """Return the fix of `steps // accelerator.num_processes`, where nothing stands in parentheses before it."""
    left = found.left
    if left is None:
        return None
    edits = (left.edits.end_with(found.divided),)
    return Fix("Do not divide", edits, safe=False, doubt="the learning rate follows the longer schedule")
