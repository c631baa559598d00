"""A number read from the GPU at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity, quoted

from .every_step import NEEDED
from .summed import read_after

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ItemInTrainingLoop(Rule):
    """Keep values on the GPU during a step, and read them every N steps.

    `.item()`, `.tolist()`, `float(t)`, `int(t)`, `bool(t)`, and `get_scale()` and `state_dict()` of a `GradScaler` make
    the host wait until the GPU has computed the value. In a training loop this happens in every step, and the GPU is
    idle while the host catches up: from a few per cent of a step to most of a short one. To report a mean, accumulate
    `loss.detach()` and call `.item()` once after the loop.

    The same holds for tensors where PyTorch takes a number: `x.sub(y, alpha=t)`, `torch.arange(t)`, `x.view(t, -1)`,
    bounds of `x[:t]`, `t in (1, 2)`, `repeat_interleave` without `output_size`, and `error_if_nonfinite=True`; and
    where Python does: `range(t)`, and indices of lists and ndarrays, `names[prediction]`.

    If the number goes to something that takes it on the host alone, such as an action to a Gymnasium environment, the
    finding is of severity `info`.

    Not reported:

    - reads every N steps (`if step % 100 == 0`), once per epoch or in evaluation
    - a second read of a number, if nothing was queued for the GPU since the first one
    - values that are not tensors on a device: numbers, ndarrays, batches from a loader that were not moved

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
        from .detectors.advice import instead_of_number, instead_of_reading, needed_by, waits_around
        from .detectors.needed_on_host import taker_of
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "scalar"):
            taker = taker_of(file.evaluator(), wait.place)
            advice = needed_by(taker) if taker else instead_of_reading(wait)
            yield self.finding(
                wait.place,
                f"{quoted(wait.place)} makes the host wait for the GPU in every step; {advice}",
                trace=story,
                severity=Severity.INFO if taker else None,
                cause=(NEEDED if taker else waits_around(wait.place)).at(story[0].path, story[0].span),
                confidence=None if wait.is_sure else Confidence.MEDIUM,
                fix=read_after(file, wait.place, wait.tensor) if wait.is_sure else None,
            )
        for wait, story in waits_every_step(file.evaluator(), file, "number"):
            yield self.finding(
                wait.place,
                f"{quoted(wait.place)} reads a number from a tensor, so the host waits in every step; "
                f"{instead_of_number(wait)}",
                trace=story,
                cause=waits_around(wait.place).at(story[0].path, story[0].span),
            )
