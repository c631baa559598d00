"""The allocator's cache emptied at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

from .every_step import RELEASES

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class EmptyCacheInTrainingLoop(Rule):
    """Do not empty the allocator's cache in every step.

    `torch.cuda.empty_cache()` waits for the GPU and releases the cached memory of PyTorch to the driver; the next step
    allocates it again. It does not free memory that a tensor uses, so it does not prevent an out-of-memory error
    either.

    Not reported:

    - calls in handlers of an out-of-memory error
    - calls once per epoch or every N steps

    https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("empty_cache",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for call in file.calls("torch.cuda.empty_cache"):
            if (story := file.every_step(call)) is not None:
                edits = call.edits.remove()
                yield self.finding(
                    call,
                    f"{quoted(call)} releases memory that the next step allocates again; remove it",
                    trace=story,
                    cause=RELEASES.at(story[0].path, story[0].span),
                    fix=Fix(
                        "Remove the call",
                        edits,
                        safe=False,
                        doubt="other programs on the GPU may need the memory that it releases",
                    )
                    if edits
                    else None,
                )
