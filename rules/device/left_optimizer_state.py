"""An optimizer's state that stays on the CPU when the module is moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LeftOptimizerState(Rule):
    """Move a module before its optimizer gets a state.

    An optimizer goes on with the parameters of a module that is moved, but not with what it has computed for them:
    `optimizer.load_state_dict(…)` puts the averages of Adam where the parameters are *then*, and `Adagrad(…)` makes its
    sums there. After `model.to(device)` the first step raises `Expected all tensors to be on the same device`, and
    only where there is a GPU and something to resume.

    Left alone are optimizers that are made or filled again after the move, those that keep nothing for a parameter
    (SGD without momentum), and projects that move the state by hand.

    https://docs.pytorch.org/docs/stable/optim.html#constructing-it
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("parameters",)
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.left_states import left_states

        for left in file.share_of(left_states):
            yield self.finding(
                left.place,
                "leaves the optimizer's state on the CPU, where its next step raises: move the module first",
                trace=(left.moved.step("the module is moved here, and its optimizer's state is not"),),
            )
