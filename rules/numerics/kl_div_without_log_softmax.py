"""A divergence from values that are no log probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class KlDivWithoutLogSoftmax(Rule):
    """Pass log-probabilities as input to the KL divergence.

    `nn.KLDivLoss` and `F.kl_div` expect probabilities as target, and log-probabilities as input; they take no logarithm
    of the input. Given probabilities for both, the result is not a divergence: it is negative if the two are alike, and
    decreases further if one class takes all of the input. No error says so. Apply `log_softmax` to the input; if the
    target holds log-probabilities as well, pass `log_target=True`.

    Not reported:

    - values that, on some path, are not known to come from a softmax, a sigmoid or a layer

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
                f"`kl_div` expects log-probabilities as input; {quoted(loss.place)} never went through "
                "`log_softmax`, so apply it",
                trace=tuple(one.call.step(f"computed by `{one.name.rpartition('.')[2]}` here") for one in loss.made),
            )
