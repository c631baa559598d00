"""A loss of several replicas that nothing made one of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnreducedParallelLoss(Rule):
    """Take the mean of the losses that the replicas of a DataParallel return.

    A loss that is computed in `forward` is one number for each replica; `DataParallel` gathers them into a vector, and
    `backward()` raises `grad can be implicitly created only for scalar outputs`. With one GPU or none it is a number
    all along, so that the program breaks on the first machine with two.

    Left alone are losses that are reduced on the way, by `.mean()` or `.sum()`, losses computed from the gathered
    outputs, and `DistributedDataParallel`, which gathers nothing.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.gathered_losses import gathered_losses

        for gathered in gathered_losses(file.evaluator(torchlint.WITH_CUDA), file):
            loss = gathered.loss
            yield self.finding(
                gathered.backward,
                "raises with several GPUs, where the loss is a vector of one number each: take its `.mean()`",
                trace=(
                    gathered.wrapping.place.step("wrapped in `DataParallel` here"),
                    gathered.called.step("gathers the losses of all replicas here"),
                ),
                fix=Fix("Take the mean over the replicas", loss.edits.append(".mean()"), safe=True),
            )
