"""A negative log likelihood of values that are no log probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class NllWithoutLogSoftmax(Rule):
    """Pass log-probabilities to the negative log likelihood loss.

    `nn.NLLLoss` and `F.nll_loss` take no logarithm: they select the value of the target class and negate it. Given the
    output of a linear layer or a convolution, the loss decreases without limit as that value grows, and the other
    classes are never pushed down. Given probabilities, it approaches -1, with gradients that vanish where the model is
    confident and wrong. No error says so. Apply `log_softmax`, or use `CrossEntropyLoss`, which includes it.

    Not reported:

    - values that, on some path, are not known to come from a softmax, a sigmoid or a layer

    https://docs.pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("loss", "Loss", "criterion", "nll")
    project_words = ("NLLLoss", "nll_loss")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.activated_losses import mismatched_losses

        for loss in mismatched_losses(file.evaluator(), file, "no log"):
            yield self.finding(
                loss.place,
                f"`nll_loss` expects log-probabilities as input; {quoted(loss.place)} never went through "
                "`log_softmax`, so apply it",
                trace=tuple(one.call.step(f"computed by `{one.name.rpartition('.')[2]}` here") for one in loss.made),
            )
