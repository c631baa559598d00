"""A transfer for each element, where one would do for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class PerElementTransfer(Rule):
    """Move a tensor as a whole, not element by element.

    Each `.item()` of an element waits for the GPU, which takes some ten microseconds, and so does `if score > 0.5:`; a
    thousand scores are a thousand waits, and `scores.tolist()` is one. Conversely, `torch.tensor(row)` on the GPU is a
    copy for each row, and so is `row.to(device)` for each row of a tensor; as a whole, they are one.

    Not reported:

    - tensors on the host, and those that may be anywhere
    - lists of tensors that exist already (a batch of inputs and targets), the values of a dict, and a few constants
    - parts and batches into which a tensor is cut
    - training steps, which `item-in-training-loop` reports

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
                message = "copies a tensor to the GPU row by row; move the whole tensor once, before the loop"
            elif transfer.is_upload:
                message = "copies to the GPU once per element; create one tensor on the CPU and move it"
            else:
                message = (
                    "makes the host wait for the GPU once per element; call `.tolist()` or `.cpu()` on the whole tensor"
                )
            trace = (transfer.source.step("repeated for each of these"),)
            yield self.finding(transfer.place, f"{quoted(transfer.place)} {message}", trace=trace)
