"""A sigmoid before a loss that applies one itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_DOUBT = "training changes"


class SigmoidBeforeBceWithLogits(Rule):
    """Pass logits to binary cross-entropy with logits, not probabilities.

    `nn.BCEWithLogitsLoss` and `F.binary_cross_entropy_with_logits` apply a sigmoid to their input. A value that already
    went through one is between 0 and 1, and the second sigmoid maps it to 0.5 to 0.73: the model can no longer predict
    the negative class, the loss stays above 0.31 for positive and 0.69 for negative targets, and gradients vanish where
    it is confident. No error says so. Remove the sigmoid, or use `nn.BCELoss`, which has none.

    The sigmoid may be the last line of a module's `forward` in another file, or the last entry of a `Sequential`.

    Not reported:

    - values that go through a sigmoid on some paths only, such as in eval mode
    - modules that return logits beside the probabilities
    - values computed from the probabilities

    https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("loss", "Loss", "criterion", "with_logits", "WithLogits")
    project_words = ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.activated_losses import mismatched_losses

        for loss in mismatched_losses(file.evaluator(), file, "sigmoid"):
            yield self.finding(
                loss.place,
                f"{quoted(loss.place)} went through a sigmoid, and the loss applies another one; pass the logits",
                trace=tuple(one.call.step("sigmoid applied here") for one in loss.made),
                fix=Fix("Pass the logits", loss.bare, safe=False, doubt=_DOUBT) if loss.bare else None,
            )
