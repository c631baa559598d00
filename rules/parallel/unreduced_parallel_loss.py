"""A loss of several replicas that is not reduced to one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnreducedParallelLoss(Rule):
    """Average the losses that the replicas of a DataParallel return.

    If `forward` computes the loss, each replica returns a number; `DataParallel` gathers them into a vector, and
    `backward()` raises `grad can be implicitly created only for scalar outputs`. With one GPU or none it is a single
    number, so the program fails on the first machine with two.

    Not reported:

    - losses that are reduced on the way, by `.mean()` or `.sum()`
    - losses computed from the gathered outputs
    - `DistributedDataParallel`, which gathers nothing

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
                f"{quoted(gathered.backward)} raises with several GPUs, as the loss has an element for each; "
                "reduce it with `.mean()`",
                trace=(
                    gathered.wrapping.place.step("wrapped in `DataParallel` here"),
                    gathered.called.step("gathers the losses of all replicas here"),
                ),
                fix=Fix("Take the mean over the replicas", loss.edits.append(".mean()"), safe=True),
            )
