"""A DistributedSampler that is never told which epoch it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class MissingSetEpoch(Rule):
    """Tell a DistributedSampler which epoch begins.

    A `DistributedSampler` shuffles by its seed and its epoch, so that all ranks agree. Without `set_epoch` the epoch
    stays 0: every epoch visits the data in the same order, in the same batches, and the model learns worse for it.
    `set_epoch` with a constant leaves it at that.

    Left alone are samplers that do not shuffle, loops that evaluate, and the loops of frameworks (Lightning,
    Accelerate), which call `set_epoch` themselves.

    https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("for ", "while ")
    project_words = ("DistributedSampler",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_orders import repeated_orders

        for order in file.share_of(repeated_orders):
            yield self.finding(
                order.epochs,
                "repeats the order of the data in every epoch: call `set_epoch` on the sampler at its start",
                trace=(order.sampler.step("the sampler is made here"), order.iteration.step("the data is read here")),
            )
