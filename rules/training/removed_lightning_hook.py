"""A method that Lightning 2 refuses, or never calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.removed_hooks import LostHook


class RemovedLightningHook(Rule):
    """Override hooks that Lightning 2 still has.

    Lightning 2.0 removed `training_epoch_end`, `validation_epoch_end` and `test_epoch_end`: `Trainer.fit` raises
    `NotImplementedError` for a module that has one. `on_train_epoch_end` and its like take no outputs; keep what they
    need in a list of the module, and clear it there. `training_step_end`, `validation_step_end`, `test_step_end` and
    `tbptt_split_batch` are never called, and a `training_step` with `optimizer_idx` raises: several optimizers take
    `automatic_optimization = False`.

    Not reported:

    - projects whose requirements allow only Lightning 1
    - methods that are defined behind a test, for example of the version
    - methods that Lightning never calls, if the project calls them itself

    https://lightning.ai/docs/pytorch/stable/upgrade/from_1_9.html
    https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("_epoch_end(", "_step_end(", "def tbptt_split_batch(", "optimizer_idx")
    project_words = ("LightningModule",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.removed_hooks import removed_hooks

        for hook in removed_hooks(file.evaluator(), file):
            yield self.finding(hook.place, _message(hook))


def _message(hook: LostHook) -> str:
    method, version = f"`{hook.place.word}`", hook.since[0]
    if hook.parameter:
        return f"{method} raises in Lightning {version}, which passes no `{hook.parameter}`; {hook.instead}"
    what = "raises in" if hook.raises else "is never called by"
    return f"{method} {what} Lightning {version}, which has no such hook; {hook.instead}"
