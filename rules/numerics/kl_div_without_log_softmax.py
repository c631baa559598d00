"""A divergence from what are no log probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class KlDivWithoutLogSoftmax(Rule):
    """Give the Kullback-Leibler divergence log probabilities for its input.

    `nn.KLDivLoss` and `F.kl_div` take probabilities for the target, and their logarithms for the input, of which they
    take none. Given probabilities for both, what they compute is no divergence: it is below zero where the two are
    alike, and goes on falling when one class takes all of the input. No error says so. Apply `log_softmax` to the
    input; where the target is logarithms as well, say `log_target=True`.

    Left alone is all of which it is not known, on each way, that a softmax, a sigmoid, or a layer made it last.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.KLDivLoss.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("loss", "Loss", "criterion", "kl")
    project_words = ("KLDivLoss", "kl_div")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.activated_losses import mismatched_losses

        for loss in mismatched_losses(file.evaluator(), file, "no log in kl"):
            yield self.finding(
                loss.place,
                "is taken for log probabilities, which nothing made of it: apply `log_softmax`",
                trace=tuple(one.call.step(f"made by `{one.name.rpartition('.')[2]}` here") for one in loss.made),
            )
