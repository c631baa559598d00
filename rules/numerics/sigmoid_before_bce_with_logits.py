"""A sigmoid before a loss that applies one itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_DOUBT = "training takes another course"


class SigmoidBeforeBceWithLogits(Rule):
    """Give binary cross-entropy with logits what went through no sigmoid.

    `nn.BCEWithLogitsLoss` and `F.binary_cross_entropy_with_logits` apply a sigmoid to what they are given. What went
    through one lies between 0 and 1, of which the second makes 0.5 to 0.73: the module can no longer say no, the loss
    stays above 0.31 where it should and above 0.69 where it should not, and gradients vanish where it is sure. No error
    says so. Leave the sigmoid out of what is trained, or take `nn.BCELoss`, which has none.

    The sigmoid may be the last line of a module's `forward` in another file, or the last entry of a `Sequential`.
    Left alone is what goes through a sigmoid on some ways only, such as when the module is not training, modules that
    return logits beside the probabilities, and what is computed further from them.

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
                "went through sigmoid, and the loss applies another one: pass the logits",
                trace=tuple(one.call.step("sigmoid applied here") for one in loss.made),
                fix=Fix("Pass the logits", loss.bare, safe=False, doubt=_DOUBT) if loss.bare else None,
            )
