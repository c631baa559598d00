"""A tensor copied to the host with every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import DEVICE_WORDS, Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class HostCopyInTrainingLoop(Rule):
    """Leave tensors on the GPU during a step, and copy them to the host now and then.

    `.cpu()`, `.cpu().numpy()`, `.to("cpu")` and, of a tensor on the GPU, `.type(torch.FloatTensor)` and
    `.type_as(labels)` with labels on the host make the host wait until the GPU has computed the tensor and the copy is
    done. Within a training loop that happens with every step, and the GPU stands still while the host catches up.

    Left alone are copies that happen now and then, once per epoch or in evaluation, `non_blocking` copies, modules,
    and tensors that are on the host already.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".cpu(", ".to(", ".type(", ".type_as(")
    project_words = DEVICE_WORDS

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_waits import waits_every_step

        for wait, story in waits_every_step(file.evaluator(), file, "copy"):
            yield self.finding(
                wait.place,
                "waits for the GPU on every step: compute on the GPU, or copy once in a while",
                trace=story,
                confidence=None if wait.is_sure else Confidence.MEDIUM,
            )
