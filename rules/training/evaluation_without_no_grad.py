"""Modules that are evaluated while autograd records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class EvaluationWithoutNoGrad(Rule):
    """Keep autograd from recording what is only evaluated.

    `model.eval()` says nothing about gradients. Where nothing else does, autograd records every batch that is
    evaluated: all activations of the forward stay in memory until the result is gone, and building the graph takes its
    time. A batch that fits under `torch.no_grad()` may not fit without, and a sum of losses over all batches keeps all
    of their graphs. Evaluate in a function that is decorated with `@torch.no_grad()`, or in such a block;
    `torch.inference_mode()` saves a little more.

    Reported are loops over batches after `model.eval()` in which nothing is differentiated, where every known caller
    lets autograd record. Left alone are modules whose parameters may all be frozen, functions that hand on a result
    with its graph, and what looks for gradients by its name, as attacks and explanations do.

    https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".eval(",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.left_recording import left_recording

        for found in left_recording(file.evaluator(), file):
            steps = (found.switch.step("says nothing about gradients"), found.loop.step("this loop evaluates"))
            yield self.finding(
                found.call,
                "is recorded for a `backward()` that never comes: evaluate under `torch.no_grad()`",
                trace=steps,
                fix=_decorated(found.function),
                confidence=None if found.is_known else Confidence.MEDIUM,
            )


def _decorated(function: Place | None) -> Fix | None:
    if function is None or (mode := function.named("torch.no_grad")) is None:
        return None
    line = function.edits.line_before(f"@{mode[0]}()")
    if line is None:
        return None
    doubt = "nobody can differentiate what the function returns then"
    return Fix("Record nothing in the function", (line, *mode[1]), safe=False, doubt=doubt)
