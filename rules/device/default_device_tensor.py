"""A tensor made on the default device in the middle of a computation on another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Fix, Rule, Severity, quoted

from .placed import on_device

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile

    from .detectors.misplaced import MisplacedTensor

_DOUBT = "code below may expect it on the CPU"


class DefaultDeviceTensor(Rule):
    """Create tensors on the device of the tensors they are used with.

    `torch.zeros(…)`, `torch.arange(…)` and similar functions create a tensor on the CPU by default. In a module's
    method, or in a training loop, it is used with inputs and parameters that were moved to a GPU, and the operation
    raises `Expected all tensors to be on the same device`. `device=x.device`, `x.new_zeros(…)` and
    `torch.zeros_like(x)` create it on the device of `x`. If no code in the project moves the module to a GPU, the
    finding is a warning.

    Not reported:

    - tensors that are moved before they are used
    - tensors without dimensions, except as bounds of `clamp`
    - indices into a tensor on the GPU, which may be on the CPU
    - tensors on the device that the caller names, where no call shows that the module is on a GPU
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
            if misplaced.is_up_to_callers:
                continue
            place, other = misplaced.place, misplaced.at_hand
            yield self.finding(
                place,
                f"{quoted(place)} is created on the CPU but used with tensors on the model's device; "
                + _advice(misplaced, other),
                trace=(*misplaced.owner, misplaced.used.step("used with a tensor on the device here")),
                fix=_moved(place, other) if misplaced.is_of_memory else _beside(file.call_at(place), other),
            )


def _advice(misplaced: MisplacedTensor, other: Place | None) -> str:
    if misplaced.is_of_memory:
        return f"call {quoted(f'.to({other.code}.device)')}" if other is not None else "move it there"
    return f"pass {quoted(f'device={other.code}.device') if other is not None else '`device=`'}"


def _moved(place: Place, other: Place | None) -> Fix | None:
    """`torch.from_numpy(a)` → `torch.from_numpy(a).to(x.device)`: it takes no `device=`."""
    if other is None:
        return None
    return Fix(
        "Move it to the other tensor's device",
        place.edits.append(f".to({other.text}.device)"),
        safe=False,
        doubt=_DOUBT,
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
            doubt=_DOUBT,
        )
        if edits
        else None
    )
