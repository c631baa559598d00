"""An operation on tensors of which one is on the CPU and another on the GPU, or each on a GPU of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeviceMismatch(Rule):
    """Bring the tensors of an operation to one device.

    Where one operand was made on the CPU and never moved, and another one was made on or moved to a GPU, PyTorch raises
    `Expected all tensors to be on the same device`. A table on the CPU that is indexed with a tensor on the GPU raises
    `indices should be either on cpu or on the same device as the indexed tensor`.

    So it is with a module that is made on the CPU and never moved, and its input on a GPU; with tensors on two GPUs,
    and with a module on one and its input on another. A plain `cuda` is the GPU that is current at that line, as
    `torch.cuda.set_device` and `torch.cuda.device` have set it by then.

    Left alone are tensors without dimensions on the CPU, which may be anywhere except as bounds of `clamp`, indices on
    the CPU into a tensor on the GPU, copies from one device to the other, and tensors of which nobody knows where they
    are: `cuda:` and a number that is known at run time alone may be any GPU.
    What a module keeps or makes on the wrong device, and batches that were not moved, have rules of their own.

    https://docs.pytorch.org/docs/stable/notes/cuda.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("torch",)
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.misplaced import misplaced_tensors
        from .detectors.two_gpus import gpu_meetings
        from .detectors.unmoved_modules import unmoved_modules

        for misplaced in misplaced_tensors(file.evaluator(torchlint.WITH_CUDA), file, "other"):
            yield self.finding(
                misplaced.place,
                "mixes a tensor on the CPU with one that was moved to a device: bring them to one device",
                trace=(*misplaced.story, misplaced.other.step("on the device here")),
            )
        for unmoved in unmoved_modules(file.evaluator(torchlint.WITH_CUDA), file):
            yield self.finding(
                unmoved.place,
                "gives a tensor on a device to a module that was never moved there: move the module too",
                trace=(unmoved.made.step("made on the CPU here"), unmoved.tensor.step("on the device here")),
            )
        for meeting in gpu_meetings(file.evaluator(torchlint.WITH_GPUS), file):
            tensor, other = meeting.tensor.named, meeting.other.named
            yield self.finding(
                meeting.place,
                f"gives a module on {other} a tensor on {tensor}: move that there first"
                if meeting.is_of_module
                else f"mixes a tensor on {tensor} with one on {other}: bring them to one GPU",
                trace=(meeting.tensor.step, meeting.other.step),
            )
