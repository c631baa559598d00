"""Modules that are evaluated while autograd records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class EvaluationWithoutNoGrad(Rule):
    """Disable gradients for code that only evaluates.

    `model.eval()` does not disable gradients. Without `torch.no_grad()`, autograd records every batch that is
    evaluated: all activations stay in memory until the result is released, and building the graph takes time. A batch
    that fits into memory under `torch.no_grad()` may not fit without it, and a sum of losses over all batches keeps all
    of their graphs. Decorate the function with `@torch.no_grad()`, or use a `with` block; `torch.inference_mode()`
    saves a little more.

    Reported are loops over batches after `model.eval()` that never call `backward()`, if no known caller disables
    gradients; functions that evaluate one batch, or all nodes of a graph, in each call, if they keep and return nothing
    that has a graph; and calls of a function that trains with other arguments, if theirs rule out `backward()`.

    Not reported:

    - modules whose parameters may all be frozen
    - functions that return a result with its graph
    - functions named after gradients, such as attacks and explanations

    https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = (".eval(", ".train(", "backward(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.left_recording import left_recording
        from .detectors.recorded_by_flag import recorded_by_flag

        for one in recorded_by_flag(file.evaluator(), file):
            yield self.finding(
                one.call,
                f"{quoted(one.call)} records a graph that no `backward()` uses; evaluate under `torch.no_grad()`",
                trace=(one.caller.step("called without training here"), one.test.step("rules out `backward()` then")),
            )

        for found in left_recording(file.evaluator(), file):
            words = (
                "this loop evaluates" if found.loop.scope is found.call.scope else "this loop repeats the evaluation"
            )
            steps = (found.switch.step("does not disable gradients"), found.loop.step(words))
            yield self.finding(
                found.call,
                f"{quoted(found.call)} records a graph that no `backward()` uses; evaluate under `torch.no_grad()`",
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
    doubt = "what the function returns has no graph then"
    return Fix("Decorate the function with `torch.no_grad()`", (line, *mode[1]), safe=False, doubt=doubt)
