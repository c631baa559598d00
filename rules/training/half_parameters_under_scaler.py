"""Parameters in `float16` under a gradient scaler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class HalfParametersUnderScaler(Rule):
    """Keep parameters in `float32` under a gradient scaler.

    Mixed precision keeps the parameters in `float32`, and `autocast` runs layers on copies of them in `float16`.
    `model.half()` makes the parameters themselves `float16`, and so their gradients: `scaler.step(optimizer)` and
    `scaler.unscale_(optimizer)` raise `Attempting to unscale FP16 gradients`. On a machine without CUDA, where the
    scaler is disabled, the program runs. Leave out the conversion and run the model under `autocast`; or use
    `bfloat16`, which needs no scaler.

    Not reported:

    - scalers that are enabled by an option
    - models that are converted under a condition, or that another conversion follows
    - copies of the parameters in `float32`, and frozen models

    https://docs.pytorch.org/docs/stable/notes/amp_examples.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("step", "unscale_")
    project_words = ("GradScaler",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.half_parameters import half_parameters

        for found in half_parameters(file.evaluator(), file):
            yield self.finding(
                found.call,
                f"{quoted(found.call)} raises, as the parameters are `float16`; keep them `float32`, under `autocast`",
                trace=(found.conversion.step("converted to `float16` here"),),
            )
