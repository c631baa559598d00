"""A copy to the host, read before it is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class AsyncHostCopy(Rule):
    """Wait for a copy to the host before you read it, or let it block.

    `.to("cpu", non_blocking=True)` returns before the GPU has written the data. Reading the tensor then returns what
    was in that memory before: zeros, an older batch, or part of the result. No error says so, and it may work most of
    the time.

    Not reported:

    - copies that are waited for before they are read (`torch.cuda.synchronize()`, an event, a blocking copy after it)
    - copies from the host to the GPU, which PyTorch orders itself
    - modules

    The programs of this rule claim nothing, because a host that reads too early cannot be simulated.

    https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("non_blocking",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.asynchronous import unfinished_copies

        for copy in unfinished_copies(file.evaluator(), file):
            edits = copy.call.edits.drop_argument("non_blocking")
            yield self.finding(
                copy.call,
                f"{quoted(copy.call)} may not be complete when it is read; "
                "remove `non_blocking=True`, or synchronize first",
                trace=(copy.read.step("read here, without waiting"),),
                fix=Fix("Wait for the copy", edits, safe=True) if edits else None,
            )
