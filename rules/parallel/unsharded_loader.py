"""A loader that gives every rank all of the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnshardedLoader(Rule):
    """Give each rank its share of the data, with a DistributedSampler.

    Under `DistributedDataParallel` and FSDP every rank runs the same program. A loader that only shuffles gives each of
    them the whole dataset: an epoch takes as long as on one GPU, and with the same seed on all ranks they even compute
    the same batches.

    Not reported:

    - loaders with a sampler
    - iterable datasets, and datasets that mention ranks or shards
    - loaders that Accelerate or Lightning prepare

    https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
    """

    severity = Severity.WARNING
    confidence = Confidence.MEDIUM
    words = ("DataLoader",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unsharded import unsharded_loaders

        for unsharded in file.share_of(unsharded_loaders):
            yield self.finding(
                unsharded.loader,
                f"{quoted(unsharded.loader)} gives every rank the whole dataset; use a `DistributedSampler`",
                trace=(
                    unsharded.wrapping.place.step("every rank trains its copy of the model here"),
                    unsharded.loop.step("and reads the data here"),
                ),
            )
