"""A negative log likelihood of what are no log probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class NllWithoutLogSoftmax(Rule):
    """Give the negative log likelihood log probabilities.

    `nn.NLLLoss` and `F.nll_loss` take no logarithm: they pick the number of the right class and change its sign. Given
    what a linear layer or a convolution puts out, the loss falls without end while that one number grows, and the other
    classes are never pushed down. Given probabilities, it goes down to -1, with gradients that vanish exactly where the
    module is wrong and sure. No error says so. Apply `log_softmax`, or take `CrossEntropyLoss`, which has it inside.

    Left alone is all of which it is not known, on each way, that a softmax, a sigmoid, or a layer made it last.

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
                "is taken for log probabilities, which nothing made of it: apply `log_softmax`",
                trace=tuple(one.call.step(f"made by `{one.name.rpartition('.')[2]}` here") for one in loss.made),
            )
