"""A tensor made on the default device in the middle of a computation on another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Fix, Rule, Severity

from .placed import on_device

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class DefaultDeviceTensor(Rule):
    """Make tensors on the device of what they are used with.

    `torch.zeros(…)`, `torch.arange(…)` and their kin make a tensor on the CPU unless told otherwise. In a module's
    method, or in a training loop, it meets inputs and parameters that were moved to a GPU, and the operation fails
    with `Expected all tensors to be on the same device`. `device=x.device`, `x.new_zeros(…)` and `torch.zeros_like(x)`
    make it where `x` is.

    Left alone are tensors that are moved before they are used, numbers without dimensions except as bounds of `clamp`,
    indices into a tensor on the GPU (which may be on the CPU), what is made once in `__init__`, and programs that say
    once where tensors are made (`torch.set_default_device`).

    https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("torch",)
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.misplaced import misplaced_tensors

        for misplaced in misplaced_tensors(file.evaluator(torchlint.WITH_CUDA), file, "factory"):
            yield self.finding(
                misplaced.place,
                "is made on the CPU, and used with tensors on the model's device: pass `device=`",
                trace=(misplaced.used.step("used with what is on the device here"),),
                fix=_beside(file.call_at(misplaced.place), misplaced.at_hand),
            )


def _beside(made: Call | None, other: Place | None) -> Fix | None:
    """`torch.zeros(3)` → `torch.zeros(3, device=x.device)`."""
    if made is None or other is None or made.is_open or made.keywords.keys() & {"device", "out"}:
        return None
    edits = on_device(made, f"{other.text}.device")
    return (
        Fix("Make it where the other tensor is", edits, safe=False, doubt="code below may expect it on the CPU")
        if edits
        else None
    )
