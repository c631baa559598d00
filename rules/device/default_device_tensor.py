"""A tensor made on the default device in the middle of a computation on another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Fix, Rule, Severity, quoted

from .placed import on_device

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class DefaultDeviceTensor(Rule):
    """Create tensors on the device of the tensors they are used with.

    `torch.zeros(…)`, `torch.arange(…)` and similar functions create a tensor on the CPU by default. In a module's
    method, or in a training loop, it is used with inputs and parameters that were moved to a GPU, and the operation
    raises `Expected all tensors to be on the same device`. `device=x.device`, `x.new_zeros(…)` and
    `torch.zeros_like(x)` create it on the device of `x`.

    Not reported:

    - tensors that are moved before they are used
    - tensors without dimensions, except as bounds of `clamp`
    - indices into a tensor on the GPU, which may be on the CPU
    - tensors that are created once in `__init__`
    - programs that set the default device once (`torch.set_default_device`)

    https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("torch",)
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.misplaced import misplaced_tensors

        for misplaced in misplaced_tensors(file.evaluator(torchlint.WITH_CUDA), file, "factory"):
            place, other = misplaced.place, misplaced.at_hand
            device = quoted(f"device={other.code}.device") if other is not None else "`device=`"
            yield self.finding(
                place,
                f"{quoted(place)} is created on the CPU but used with tensors on the model's device; pass {device}",
                trace=(misplaced.used.step("used with a tensor on the device here"),),
                fix=_beside(file.call_at(place), other),
            )


def _beside(made: Call | None, other: Place | None) -> Fix | None:
    """`torch.zeros(3)` → `torch.zeros(3, device=x.device)`."""
    if made is None or other is None or made.is_open or made.keywords.keys() & {"device", "out"}:
        return None
    edits = on_device(made, f"{other.text}.device")
    return (
        Fix(
            "Create it on the other tensor's device",
            edits,
            safe=False,
            doubt="code below may expect it on the CPU",
        )
        if edits
        else None
    )
