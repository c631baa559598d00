"""A non-blocking copy from pageable memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnpinnedNonBlocking(Rule):
    """Pin the batches that are copied with `non_blocking=True`.

    A GPU can only copy asynchronously from pinned memory. From other memory the driver first copies to its own pinned
    buffer, in which the host takes part: `non_blocking=True` is accepted and has no effect. With `pin_memory=True` a
    thread of the loader pins the next batch in the meantime. What `torch.cat` joins from parts of a batch is not
    pinned: copy the parts, and join them on the GPU.

    Not reported:

    - tensors that do not come from a loader, as pinning them first costs what it saves
    - loaders whose `pin_memory` is chosen at run time
    - copies to the host

    The programs of this rule claim nothing, as only a real GPU shows what it costs.

    https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    words = ("non_blocking",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.asynchronous import pageable_copies
        from .detectors.joined_on_host import joined_copies

        for copy in pageable_copies(file.evaluator(), file):
            yield self.finding(
                copy.call,
                f"{quoted(copy.call)} blocks anyway, as the batch is not pinned; pass `pin_memory=True` to the loader",
                trace=(copy.loader.step("this loader does not pin its batches"),),
            )
        for joined in joined_copies(file.evaluator(), file):
            yield self.finding(
                joined.call,
                f"{quoted(joined.call)} blocks anyway, as what was joined is not pinned; "
                "copy the parts, then join them",
                trace=(joined.joins.step("joined here from parts of a batch"),),
            )
