"""A checkpoint that every rank writes to the same file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class SaveOnEveryRank(Rule):
    """Save a checkpoint on one rank, and let the others wait for it.

    A program under `DistributedDataParallel` runs on every rank, and all of them call `torch.save` with the same path.
    They overwrite each other, and the file may be corrupt: `PytorchStreamReader failed reading zip archive`, now and
    then.

    Not reported:

    - saves behind anything that may be a test of the rank, here or in every caller
    - saves whose path contains the rank or process
    - saves to memory

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
                f"{quoted(save.place)} writes the same file on every rank at once; save on rank 0 only",
                trace=(save.wrapping.place.step("every rank has its own copy of the model here"),),
            )
