"""A group of parameters that is added after the state of the optimizer is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LateParamGroup(Rule):
    """Add all groups of parameters to the optimizer before its state is loaded.

    A program that adds a group while it trains, to unfreeze a backbone, saves the state of all groups from then on. If
    it resumes from such a checkpoint, and the group is not there yet, `load_state_dict` raises `loaded state dict has a
    different number of parameter groups`. The group has to be added first, if the checkpoint is from after that epoch.

    Not reported:

    - programs that may add a group before they load, under any condition
    - checkpoints that are not saved after the group was added
    - calls in a `try`, or that are expected to raise

    https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.load_state_dict.html
    """

    severity = Severity.WARNING
    confidence = Confidence.MEDIUM
    words = ("load_state_dict",)
    project_words = ("add_param_group",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.late_groups import late_groups

        for found in late_groups(file.evaluator(), file):
            yield self.finding(
                found.load,
                f"{quoted(found.load)} raises for what is saved after `add_param_group`;"
                " add the group before the state is loaded",
                trace=(
                    found.added.step("the group is added here, after the state is loaded"),
                    found.saved.step("saved with the group here"),
                ),
            )
