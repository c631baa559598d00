"""A softmax before a loss that applies one itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_DOUBT = "training takes another course"


class SoftmaxBeforeCrossEntropy(Rule):
    """Give cross-entropy logits, and not what a softmax made of them.

    `nn.CrossEntropyLoss` and `F.cross_entropy` apply a log-softmax to what they are given. Probabilities lie between 0
    and 1, so that a second softmax makes them nearly alike: of ten classes, the right one comes to no more than 0.23
    however sure the module is. The loss cannot go below 1.46 then, gradients are small and vanish where the module is
    sure, and it learns slowly and badly; no error says so. Return logits from `forward`, and apply the softmax where
    somebody reads probabilities.

    The softmax may be the last line of a module's `forward` in another file, or the last entry of a `Sequential`.
    Left alone is what goes through a softmax on some ways only, such as when the module is not training, modules that
    return logits beside the probabilities, probabilities that are the target, their logarithm, and log-softmax, which
    a second one leaves as it is.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("loss", "Loss", "criterion", "cross_entropy", "CrossEntropy")
    project_words = ("CrossEntropyLoss", "cross_entropy")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.activated_losses import mismatched_losses

        for loss in mismatched_losses(file.evaluator(), file, "softmax"):
            yield self.finding(
                loss.place,
                "went through softmax, and the loss applies another one: pass the logits",
                trace=tuple(one.call.step("softmax applied here") for one in loss.made),
                fix=Fix("Pass the logits", loss.bare, safe=False, doubt=_DOUBT) if loss.bare else None,
            )
