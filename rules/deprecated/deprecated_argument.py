"""Arguments that PyTorch and torchvision still take, and warn of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeprecatedArgument(Rule):
    """Tell losses their `reduction`, and builders of torchvision their `weights`.

    `size_average` and `reduce` of the losses of PyTorch are deprecated since 0.4.1: each call warns, and where
    `reduction` is passed besides, it counts for nothing. `pretrained` and `pretrained_backbone` of the models of
    torchvision are deprecated since 0.13, warn twice, and may be removed; `True` stands for the first weights that were
    published, and hides that there are better ones.

    Left alone are losses and models of others that have such arguments, arguments that may be None, with which nothing
    warns, what is behind a test of the version, and `pretrained` where `target-torch` is older than the torch of
    torchvision 0.13. Off by default: nothing breaks yet.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.MSELoss.html,
    https://docs.pytorch.org/vision/stable/models.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = ("size_average", "reduce", "pretrained", "Loss", "_loss", "cross_entropy")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.deprecated_arguments import deprecated_arguments

        for one in deprecated_arguments(file.evaluator(), file):
            yield self.finding(
                one,
                f"is deprecated since {one.since}, and warns: pass {one.instead}",
                fix=Fix("Pass what says the same", one.edits, safe=True) if one.edits else None,
            )
