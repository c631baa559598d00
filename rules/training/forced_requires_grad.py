"""Losses whose `requires_grad` is set manually."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ForcedRequiresGrad(Rule):
    """Fix a loss without a graph; `requires_grad = True` only hides it.

    `backward()` raises `element 0 of tensors does not require grad and does not have a grad_fn` if a loss was not
    computed with autograd: by `argmax`, a comparison or `round`, through numbers or NumPy, under `no_grad`, or from
    frozen parameters. `loss.requires_grad = True` turns such a loss into a leaf: `backward()` starts and ends there, no
    parameter gets a gradient, and training continues without an error and without learning. On a loss with a graph it
    has no effect. It is a warning where it is not seen how the loss is computed.

    Not reported:

    - tensors that are created as leaves on purpose, and a constant loss as a placeholder
    - inputs whose gradients are used
    - losses that certainly have a graph
    - losses whose `requires_grad` is tested before

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
                "`requires_grad` on a loss without a graph trains nothing; fix how the loss is computed",
                trace=(forced.backward.step("`backward()` is called here"),),
                confidence=None if forced.is_seen else Confidence.MEDIUM,
            )
