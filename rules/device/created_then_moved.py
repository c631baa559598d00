"""A tensor that is made on the CPU for the GPU, step after step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

from .placed import all_made_there, made_like
from .retyped import is_old

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

# `torch.FloatTensor` makes tensors on the CPU alone: it refuses any other `device=` (torch 2.13).
_WITHOUT_DEVICE = "make it on the device, with `torch.full` and `device=`"
_STAYS_PARAMETER = "what is not moved any more stays an `nn.Parameter`, which an attribute of a module registers"


class CreatedThenMoved(Rule):
    """Make a tensor on the device where it is needed, with `device=`.

    `torch.zeros(n).to(device)` makes the tensor in the memory of the CPU, copies it over the bus and waits for that;
    `torch.zeros(n, device=device)` makes it there, and nobody waits. Once, that is nothing, and is left alone; in a
    module's `forward`, what that calls and in a training loop it is paid with every step. So it is for a `torch.cat`
    of such tensors, a triangle of one, one that is filled, and for `.to(x)`, which takes the type of `x` as well.

    Left alone as well are random tensors, for the CPU's numbers may be wanted, which are the same on every machine,
    tensors in pinned memory, changes of type, what is made once and kept, as behind `if self.mask is None:`, and
    `torch.tensor(…)`, which brings its numbers from the CPU anyway.

    https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".to(", ".cuda(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for created in file.created_then_moved():
            made = created.making.calls
            cure = _WITHOUT_DEVICE if any(map(is_old, made)) else "pass `device=` and make it on the device"
            doubt = _STAYS_PARAMETER if created.making.is_parameter else ""
            if created.like is not None:
                fix = made_like(made, created.call, created.like, doubt=doubt)
            else:
                fix = all_made_there(made, created.call, doubt=doubt)
            message = f"is made on the CPU and copied on every step: {cure}"
            yield self.finding(created.call, message, trace=created.story, fix=fix)
