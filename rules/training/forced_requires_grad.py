"""Losses that are made to want gradients by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ForcedRequiresGrad(Rule):
    """Mend the loss that has no graph; `requires_grad = True` only hides it.

    `backward()` raises `element 0 of tensors does not require grad and does not have a grad_fn` where a loss was
    computed past autograd: by `argmax`, a comparison or `round`, through numbers or NumPy, under `no_grad`, or from
    parameters that are frozen. `loss.requires_grad = True` makes a leaf of such a loss: `backward()` starts and ends
    at it, no parameter gets a gradient, and the training goes on without an error and without learning anything. On a
    loss that has a graph it changes nothing.

    Left alone are tensors that are made as leaves on purpose, a constant loss that stands for none, inputs whose
    gradients somebody wants, losses that surely have a graph, and what is asked whether it wants gradients before.

    https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("requires_grad",)
    project_words = ("backward", "training_step", "compute_loss")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.forced_gradients import forced_gradients

        for forced in forced_gradients(file.evaluator(), file):
            yield self.finding(
                forced.place,
                "only lets a loss without a graph through `backward()`, which trains nothing then: mend the loss",
                trace=(forced.backward.step("it is differentiated here"),),
            )
