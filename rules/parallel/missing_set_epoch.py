"""A DistributedSampler without `set_epoch`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class MissingSetEpoch(Rule):
    """Call `set_epoch` of a DistributedSampler in every epoch.

    A `DistributedSampler` shuffles by its seed and its epoch, so that all ranks agree. Without `set_epoch` the epoch
    stays 0: every epoch has the same batches in the same order, and the model learns worse. `set_epoch` with a constant
    has no effect.

    Not reported:

    - samplers that do not shuffle
    - loops that evaluate
    - loops of frameworks (Lightning, Accelerate), which call `set_epoch` themselves

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
                "the data has the same order in every epoch; "
                "call `set_epoch()` of the sampler at the start of each epoch",
                trace=(
                    order.sampler.step("the sampler is created here"),
                    order.iteration.step("the data is read here"),
                ),
            )
