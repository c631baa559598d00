"""A read whose size depends on data, with every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class MaskInTrainingLoop(Rule):
    """Weight what does not count with zero instead of picking what does.

    How many elements `x[mask]`, `nonzero`, `masked_select` or `unique` leave is known on the GPU only, and the host
    waits for the number before it can go on. Within a training loop that happens with every step.

    Left alone are `x[mask] = number`, which fills in place, `torch.where` with three arguments, masks on the host,
    and reads that happen now and then. The rule is opt-in: often there is no way around the mask.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.INFO
    confidence = Confidence.MEDIUM
    default = False
    words = ("[", "nonzero", "argwhere", "where", "masked_select", "unique")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "shape"):
            yield self.finding(
                wait.place,
                "waits for the GPU to say how many are left: use `torch.where` or weights of zero",
                trace=story,
            )
