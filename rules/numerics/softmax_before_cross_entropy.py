"""A softmax before a loss that applies one itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_DOUBT = "training changes"


class SoftmaxBeforeCrossEntropy(Rule):
    """Pass logits to cross-entropy, not the output of a softmax.

    `nn.CrossEntropyLoss` and `F.cross_entropy` apply a log-softmax to their input. Probabilities are between 0 and 1,
    and a second softmax makes them nearly equal: with ten classes, the target class gets at most 0.23 however confident
    the model is. The loss cannot go below 1.46, gradients are small and vanish where the model is confident, and it
    learns slowly; no error says so. Return logits from `forward`, and apply the softmax where probabilities are needed.

    The softmax may be the last line of a module's `forward` in another file, or the last entry of a `Sequential`.

    Not reported:

    - values that go through a softmax on some paths only, such as in eval mode
    - modules that return logits beside the probabilities
    - probabilities as target, and their logarithm
    - log-softmax, which a second one does not change

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
                f"{quoted(loss.place)} went through a softmax, and the loss applies another one; pass the logits",
                trace=tuple(one.call.step("softmax applied here") for one in loss.made),
                fix=Fix("Pass the logits", loss.bare, safe=False, doubt=_DOUBT) if loss.bare else None,
            )
