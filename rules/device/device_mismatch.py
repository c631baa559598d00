"""An operation on tensors of which one is on the CPU and another on the GPU, or each on a GPU of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeviceMismatch(Rule):
    """Move the tensors of an operation to one device.

    If one operand was created on the CPU and never moved, and another one is on the GPU, PyTorch raises `Expected all
    tensors to be on the same device`. A tensor on the CPU that is indexed with a tensor on the GPU raises `indices
    should be either on cpu or on the same device as the indexed tensor`. The same holds for tensors on two GPUs, and
    for a module and its input. A plain `cuda` is the GPU that is current at that line, as set by
    `torch.cuda.set_device` and `torch.cuda.device`.

    A module that was never moved from the CPU and gets an input on the GPU is reported, too. Inside a module that no
    code in the project moves to a GPU, this is a warning. Attributes that a module leaves on the wrong device, tensors
    that it creates there, and batches that were not moved have rules of their own.

    Not reported:

    - CPU tensors without dimensions, which may be used anywhere except as bounds of `clamp`
    - indices on the CPU into a tensor on the GPU
    - copies from one device to the other
    - tensors whose device is unknown: `cuda:` with an index that is only known at run time may be any GPU

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
                f"{quoted(misplaced.place)} mixes a tensor on the CPU with one on the GPU; "
                "move both to the same device",
                trace=(*misplaced.story, *misplaced.on_gpu),
            )
        for unmoved in unmoved_modules(file.evaluator(torchlint.WITH_CUDA), file):
            yield self.finding(
                unmoved.place,
                f"{quoted(unmoved.place)} passes a tensor on the GPU to a module on the CPU; move the module, too",
                trace=(unmoved.made.step("created on the CPU here"), *unmoved.on_gpu),
            )
        for meeting in gpu_meetings(file.evaluator(torchlint.WITH_GPUS), file):
            tensor, other = meeting.tensor.named, meeting.other.named
            yield self.finding(
                meeting.place,
                f"{quoted(meeting.place)} passes a tensor on {tensor} to a module on {other}; move it to {other} first"
                if meeting.is_of_module
                else f"{quoted(meeting.place)} mixes tensors on {tensor} and {other}; move both to the same GPU",
                trace=(meeting.tensor.step, meeting.other.step),
            )
