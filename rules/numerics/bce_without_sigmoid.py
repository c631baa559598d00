"""A binary cross-entropy of values that are no probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class BceWithoutSigmoid(Rule):
    """Pass probabilities to binary cross-entropy, or use the one with logits.

    `nn.BCELoss` and `F.binary_cross_entropy` do not apply a sigmoid. The output of a linear layer or a convolution is
    below 0 or above 1 sooner or later, and the loss raises `all elements of input should be between 0 and 1`; on a GPU
    this is a device-side assertion, after which every CUDA call fails. `nn.BCEWithLogitsLoss` includes the sigmoid, and
    is more accurate.

    Not reported:

    - values that, on some path, are not known to come from a layer, a ReLU or a tanh

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
                f"{quoted(loss.place)} is not limited to [0, 1], as `binary_cross_entropy` requires; "
                "apply `sigmoid`, or use the loss with logits",
                trace=tuple(one.call.step(f"computed by `{one.name.rpartition('.')[2]}` here") for one in loss.made),
            )
