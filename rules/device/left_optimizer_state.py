"""An optimizer's state that stays on the CPU when the module is moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LeftOptimizerState(Rule):
    """Move a module before its optimizer gets a state.

    When a module is moved, its optimizer continues with the same parameters, but its state is not moved.
    `optimizer.load_state_dict(…)` loads the averages of Adam to the device of the parameters at that time, and
    `Adagrad(…)` creates its sums there. After `model.to(device)` the first step raises `Expected all tensors to be on
    the same device`, but only with a GPU and something to resume.

    Not reported:

    - optimizers that are created or loaded again after the move
    - optimizers without state (SGD without momentum)
    - optimizers that are not used afterwards, such as one that is only an argument of a function that restores a run
    - projects that move the optimizer state themselves

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
                f"{quoted(left.place)} leaves optimizer state on the CPU when the module is moved; "
                "move the module first",
                trace=(*left.premises, left.moved.step("the module is moved here, but not the optimizer state")),
            )
