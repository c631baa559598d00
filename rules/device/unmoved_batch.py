"""A batch, target or weight that stays on the CPU although the model was moved."""

from __future__ import annotations

from collections.abc import Iterator

from torchlint import Confidence, Finding, Rule, Severity, SourceFile


class UnmovedBatch(Rule):
    """Move what a model or loss is given to the device that the model is on.

    A loader makes its batches on the CPU. On a machine with a GPU, a model that was moved there refuses them with
    `Expected all tensors to be on the same device`; so does a loss of which the output is on the GPU and the target, or
    the class weights it was made with, are not. On a laptop without a GPU the program runs.

    Left alone are batches that a collate function, a data set, `forward` itself or a framework such as Accelerate or
    Lightning moves, what `DataParallel` and `DistributedDataParallel` with `device_ids` are given (they move it
    themselves, but not the targets), models that are not moved for sure, and numbers without dimensions.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#best-practices
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for misplaced in file.misplaced_tensors("batch"):
            yield self.finding(
                misplaced.place,
                "is on the CPU, and what it is used with was moved to a device: move it there too",
                trace=(*misplaced.story, misplaced.other.step("on the device here")),
            )
