"""A transfer for each element, where one would do for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class PerElementTransfer(Rule):
    """Move a tensor as a whole, not element by element.

    Each `.item()` of an element waits for the GPU and costs some ten microseconds, however small the element is: a
    thousand scores are a thousand waits, and `scores.tolist()` is one. The other way round, `torch.tensor(row)` on the
    GPU for each row is an upload for each, and so is `row.to(device)` for each row of a tensor; as a whole, they are
    one.

    Left alone are tensors on the host, lists of tensors that exist already (a batch of inputs and targets), the parts
    and batches into which a tensor is cut, a handful of constants, and training steps, of which `item-in-training-
    loop` speaks.

    https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html#avoid-unnecessary-cpu-gpu-synchronization
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("for ",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.elementwise import element_transfers

        if not file.project.library.asks_for_devices:
            return
        for transfer in element_transfers(file.evaluator(), file):
            if transfer.is_move:
                message = "copies a tensor to the GPU row by row: move the whole tensor, once, before the loop"
            elif transfer.is_upload:
                message = "copies to the GPU once per element: make one tensor on the host, and move that"
            else:
                message = "waits for the GPU once per element: use `.tolist()` or `.cpu()` on the whole tensor"
            yield self.finding(transfer.place, message, trace=(transfer.source.step("repeated for each of these"),))
