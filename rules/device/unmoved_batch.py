"""A batch, target or weight that stays on the CPU although the model was moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import DEVICE_WORDS, Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile

_DEVICE = "device"
_DOUBT = "code below may expect the batch on the CPU"


class UnmovedBatch(Rule):
    """Move batches and targets to the device of the model.

    A loader creates its batches on the CPU. On a machine with a GPU, a model that was moved there raises `Expected all
    tensors to be on the same device`. So does a loss whose output is on the GPU, but not the target or the class
    weights. On a laptop without a GPU the program runs.

    Not reported:

    - batches that a collate function, a dataset, `forward` itself or a framework such as Accelerate or Lightning moves
    - inputs of `DataParallel` and `DistributedDataParallel` with `device_ids`, which move them, but not the targets
    - models that may not be moved
    - tensors without dimensions

    https://docs.pytorch.org/docs/stable/notes/cuda.html#best-practices
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("torch",)
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.misplaced import misplaced_tensors

        found = sorted(
            misplaced_tensors(file.evaluator(torchlint.WITH_CUDA), file, "batch"), key=lambda one: one.place.span
        )
        names = file.device_names(())
        moved: list[tuple[Place, Fix]] = []
        for misplaced in found:
            tensor = misplaced.place
            steps = (*misplaced.story, *misplaced.on_gpu)
            if misplaced.is_unpacked:
                words = f"{quoted(tensor)} has tensors on the CPU, but {quoted(misplaced.other)} is on the GPU"
                yield self.finding(tensor, f"{words}; move them to its device", trace=steps)
                continue
            same = (fix for first, fix in moved if first.text == tensor.text and torchlint.is_same(tensor, first))
            fix = next(same, None)
            device = names.own(tensor) or _beside(misplaced.at_hand)
            if fix is None and device:
                fix = _moved(tensor, device)
            if fix is not None and _is_moved_before(tensor):
                moved.append((tensor, fix))
            yield self.finding(
                tensor,
                f"{quoted(tensor)} is on the CPU, but {quoted(misplaced.other)} is on the GPU; "
                f"call {quoted(f'.to({device or _DEVICE})')}",
                trace=steps,
                fix=fix,
            )


def _beside(other: Place | None) -> str:
    return f"{other.text}.device" if other is not None else ""


def _is_moved_before(tensor: Place) -> bool:
    """Tell whether a tensor should be moved once for all its reads, in a line of its own."""
    return tensor.is_local and tensor.is_read_below


def _moved(tensor: Place, device: str) -> Fix | None:
    """`model(x)` → `model(x.to(device))`; a tensor that is read again is moved in a line of its own before."""
    if _is_moved_before(tensor):
        line = tensor.edits.line_before(f"{tensor.text} = {tensor.text}.to({device})")
        return Fix("Move it to the device", (line,), safe=False, doubt=_DOUBT) if line else None
    return Fix("Move it to the device", tensor.edits.append(f".to({device})"), safe=False, doubt=_DOUBT)
