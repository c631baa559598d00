"""A copy that is asked not to block, from memory that cannot be copied so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnpinnedNonBlocking(Rule):
    """Pin the batches that are to be copied while the GPU works.

    A GPU copies by itself from pinned memory only. From any other, the driver first copies to a pinned buffer of its
    own, and the host takes part in that: `non_blocking=True` is accepted, and gains nothing. With `pin_memory=True` a
    thread of the loader pins the next batch meanwhile.

    Left alone are tensors that come from elsewhere than a loader, where pinning first costs what it gains, loaders
    whose `pin_memory` is chosen at run time, and copies to the host. What it costs only a real GPU can tell, so the
    programs of this rule claim nothing.

    https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    words = ("non_blocking",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.asynchronous import pageable_copies

        for copy in pageable_copies(file.evaluator(), file):
            yield self.finding(
                copy.call,
                "blocks all the same: pass `pin_memory=True` to the loader of the batch",
                trace=(copy.loader.step("this loader does not pin its batches"),),
            )
