"""A method that the Trainer of Transformers passes more than it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.outdated_hooks import OutdatedHook


class OutdatedTrainerHook(Rule):
    """Take the arguments that the Trainer passes to the methods you override.

    Since Transformers 4.46 the Trainer calls `compute_loss(model, inputs, num_items_in_batch=…)` and
    `training_step(model, inputs, num_items_in_batch)`, since 4.47 `log(logs, start_time)`. A class that overrides one
    of them as it was before raises with the first batch: `TypeError: compute_loss() got an unexpected keyword argument
    'num_items_in_batch'`.

    Not reported:

    - methods that take `**kwargs`, or `*args` where that is enough
    - classes that override the method that makes the call, and do not call `super()` in it
    - projects whose requirements allow only older versions of Transformers

    https://huggingface.co/docs/transformers/main_classes/trainer#transformers.Trainer.compute_loss
    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.cross_entropy.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("def compute_loss(", "def training_step(", "def log(")
    project_words = ("Trainer",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.outdated_hooks import outdated_hooks

        for hook in outdated_hooks(file.evaluator(), file):
            since = ".".join(map(str, hook.row.since))
            yield self.finding(
                hook.place,
                f"`{hook.row.method}` raises, as the Trainer passes it `{hook.row.name}` since Transformers {since};"
                " add that parameter",
                fix=_taking(hook),
            )


def _taking(hook: OutdatedHook) -> Fix | None:
    if hook.last is None:
        return None
    return Fix("Take the argument", (hook.last.edits.after(f", {hook.row.name}=None"),), safe=True)
