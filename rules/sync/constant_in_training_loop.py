"""Constants that are copied to the GPU at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Fix, Rule, Severity, quoted

from ..device.placed import all_made_there
from .every_step import WAITS

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.uploaded_constants import UploadedConstant


class ConstantInTrainingLoop(Rule):
    """Create constants on the GPU before the training loop, and not in every step.

    `torch.tensor(0.5, device=device)` makes a tensor on the CPU, copies it to the GPU and waits until the copy is done,
    which is after all work that the GPU has been given before. `torch.full((), 0.5, device=device)` writes the number
    on the GPU, and waits for nothing. A list of numbers has to be copied: once, before the loop or into a buffer of the
    module. In a module's `forward`, and in functions that it calls, this happens in every step, too. The rule is
    opt-in: such a copy is short, and matters where the step waits for nothing else.

    Not reported:

    - numbers that are not written in the call, as these may change
    - constants that only some steps make, or that are made once per epoch
    - tensors in pinned memory, and leaves that require gradients

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = ("torch.tensor(", "as_tensor(", "asarray(", "import tensor")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.uploaded_constants import uploaded_constants

        for found in uploaded_constants(file.evaluator(torchlint.WITH_CUDA), file):
            yield self.finding(
                found.place,
                f"{quoted(found.place)} copies a constant to the GPU and waits for it in every step; {_cure(found)}",
                trace=found.story,
                fix=_filled(found),
                cause=WAITS.at(found.story[0].path, found.story[0].span) if found.story else None,
                confidence=None if found.is_sure else Confidence.MEDIUM,
            )


def _cure(found: UploadedConstant) -> str:
    return "create it there with `torch.full`" if found.is_filled else "create it once, before the loop"


def _filled(found: UploadedConstant) -> Fix | None:
    """`torch.tensor(0.5, device=device)` → `torch.full((), 0.5, device=device)`."""
    made, torch = found.made, found.made.named("torch")
    first = made.edits.first_argument("()")
    if not found.is_number or torch is None or first is None or found.data not in made.arguments:
        return None
    moved = all_made_there((made,), found.place) if found.place != made else None
    if found.place != made and moved is None:
        return None
    edits = (*torch[1], made.callee.edits.replace(f"{torch[0]}.full"), first, *(moved.edits if moved else ()))
    return Fix("Fill it on the device", edits, safe=True)
