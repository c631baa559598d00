"""The allocator's cache emptied with every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class EmptyCacheInTrainingLoop(Rule):
    """Let the allocator keep its memory from step to step.

    `torch.cuda.empty_cache()` waits for the GPU and gives the memory that PyTorch keeps for reuse back to the driver,
    from which the next step asks for it again. It frees nothing that a tensor uses, so it prevents no error either.

    Left alone are calls in handlers of an out-of-memory error, and calls once an epoch or now and then.

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
                    "gives memory back that the next step asks for again: leave it out",
                    trace=story,
                    fix=Fix(
                        "Leave the call out",
                        edits,
                        safe=False,
                        doubt="other programs on the GPU may need the memory that it gives back",
                    )
                    if edits
                    else None,
                )
