"""A tensor that is made on the CPU for the GPU, step after step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

from .placed import made_there

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class CreatedThenMoved(Rule):
    """Make a tensor on the device where it is needed, with `device=`.

    `torch.zeros(n).to(device)` makes the tensor in the memory of the CPU, copies it over the bus and waits for that;
    `torch.zeros(n, device=device)` makes it there, and nobody waits. Once, that is nothing, and is left alone; in a
    module's `forward` and in a training loop it is paid with every step.

    Left alone as well are random tensors, for the CPU's numbers may be wanted, which are the same on every machine,
    tensors in pinned memory, changes of type, and `torch.tensor(…)`, which brings its numbers from the CPU anyway.

    https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".to(", ".cuda(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for created in file.created_then_moved():
            yield self.finding(
                created.call,
                "is made on the CPU and copied on every step: pass `device=` and make it on the device",
                trace=created.story,
                fix=made_there(created.made, created.call),
            )
