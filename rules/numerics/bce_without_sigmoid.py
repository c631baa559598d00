"""A binary cross-entropy of what are no probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class BceWithoutSigmoid(Rule):
    """Give binary cross-entropy probabilities, or take the one with logits.

    `nn.BCELoss` and `F.binary_cross_entropy` apply nothing to what they are given. What a linear layer or a convolution
    puts out is below 0 or above 1 sooner or later, and the loss raises `all elements of input should be between 0 and
    1`; on a GPU that is an assertion of the device, after which no call works any more. `nn.BCEWithLogitsLoss` has the
    sigmoid inside, and computes it with more digits.

    Left alone is all of which it is not known, on each way, that a layer, a ReLU or a tanh made it last.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.BCELoss.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("loss", "Loss", "criterion", "bce", "binary_cross_entropy")
    project_words = ("BCELoss", "binary_cross_entropy")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.activated_losses import mismatched_losses

        for loss in mismatched_losses(file.evaluator(), file, "no sigmoid"):
            yield self.finding(
                loss.place,
                "is taken for probabilities, which it may be far from: apply `sigmoid`, or take the loss with logits",
                trace=tuple(one.call.step(f"made by `{one.name.rpartition('.')[2]}` here") for one in loss.made),
            )
