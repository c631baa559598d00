"""A tensor copied to the host at every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity, quoted

from .every_step import NEEDED

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class HostCopyInTrainingLoop(Rule):
    """Keep tensors on the GPU during a step, and copy them every N steps.

    `.cpu()`, `.cpu().numpy()`, `.to("cpu")` and, for a tensor on the GPU, `.type(torch.FloatTensor)` and
    `.type_as(labels)` with labels on the host make the host wait until the GPU has computed the tensor and copied it.
    In a training loop this happens in every step, and the GPU is idle while the host catches up.

    If the tensor goes to something that takes it on the host alone, such as a solver of SciPy, an environment of
    Gymnasium or `pack_padded_sequence`, the finding is of severity `info`.

    Not reported:

    - copies every N steps, once per epoch or in evaluation
    - `non_blocking` copies
    - modules, and tensors that are already on the host

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".cpu(", ".to(", ".type(", ".type_as(")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.advice import needed_by, seldom, waits_around
        from .detectors.needed_on_host import taker_of
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "copy"):
            taker = taker_of(file.evaluator(), wait.place)
            advice = needed_by(taker) if taker else f"keep it on the GPU, or copy it {seldom(wait.place)}"
            yield self.finding(
                wait.place,
                f"{quoted(wait.place)} makes the host wait for the GPU in every step; {advice}",
                trace=story,
                severity=Severity.INFO if taker else None,
                cause=(NEEDED if taker else waits_around(wait.place)).at(story[0].path, story[0].span),
                confidence=None if wait.is_sure else Confidence.MEDIUM,
            )
