"""A read whose size depends on data, at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity, quoted

from .every_step import MASKS

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class MaskInTrainingLoop(Rule):
    """Give elements a weight of zero instead of selecting the others.

    How many elements `x[mask]`, `nonzero`, `masked_select` or `unique` return is only known on the GPU, and the host
    waits for that number. In a training loop this happens in every step. The rule is opt-in: often there is no way
    around the mask.

    Not reported:

    - `x[mask] = number`, which fills in place, and `torch.where` with three arguments
    - masks on the host
    - reads every N steps

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
                f"{quoted(wait.place)} waits for the GPU, as its size depends on the data; "
                "use `torch.where` or zero weights",
                trace=story,
                cause=MASKS.at(story[0].path, story[0].span),
            )
