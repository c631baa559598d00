"""A number read off the GPU with every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

from .summed import read_after

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ItemInTrainingLoop(Rule):
    """Keep numbers on the GPU during a step, and read them now and then.

    `.item()`, `.tolist()`, `float(t)`, `int(t)`, `bool(t)` and a `GradScaler`'s `get_scale()` and `state_dict()` make
    the host wait until the GPU has computed the number. Within a training loop that happens with every step, and the
    GPU stands still while the host catches up: from a few per cent of a step to most of a short one.

    So do tensors where PyTorch takes a number: `x.sub(y, alpha=t)`, `torch.arange(t)`, `x.view(t, -1)`, the bounds of
    `x[:t]`, `t in (1, 2)`, `repeat_interleave` without `output_size`, and `error_if_nonfinite=True`.

    Left alone are reads that happen now and then (`if step % 100 == 0`), once per epoch or in evaluation, and whatever
    is no tensor on a device: numbers, ndarrays, batches that come from a loader and were not moved. To report a mean,
    add up `loss.detach()` and call `.item()` once after the loop.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (
        "torch",
        "backward",
        ".step(",
        ".item(",
        "float(",
        "int(",
        "bool(",
        ".tolist(",
        ".get_scale(",
        ".state_dict(",
    )
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "scalar"):
            yield self.finding(
                wait.place,
                "waits for the GPU on every step: add up `.detach()`ed tensors and read them once in a while",
                trace=story,
                confidence=None if wait.is_sure else Confidence.MEDIUM,
                fix=read_after(file, wait.place, wait.tensor) if wait.is_sure else None,
            )
        for wait, story in waits_every_step(file.evaluator(), file, "number"):
            yield self.finding(
                wait.place,
                "reads a tensor from the GPU on every step, as it takes a number: pass one, or compute with the tensor",
                trace=story,
            )
