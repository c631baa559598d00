"""A checkpoint that every rank writes to the same file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class SaveOnEveryRank(Rule):
    """Save a checkpoint on one rank, and let the others wait for it.

    A program under `DistributedDataParallel` runs once on every rank, and all of them come to the same `torch.save`
    with the same path. They write over each other, and whoever loads the file finds it torn: `PytorchStreamReader
    failed reading zip archive`, now and then.

    Left alone are saves behind anything that may be a test of the rank, here or in every caller, and saves whose path
    says the rank or process, or that go to memory.

    https://docs.pytorch.org/tutorials/intermediate/ddp_tutorial.html#save-and-load-checkpoints
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("save",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.rank_saves import rank_saves

        for save in file.share_of(rank_saves):
            yield self.finding(
                save.place,
                "is written by every rank at once, to the same file: save on rank 0 only",
                trace=(save.wrapping.place.step("every rank has its own copy of the model here"),),
            )
