"""Graphs that are gone through with other weights than they were computed with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class StaleGraph(Rule):
    """Go back through a graph before a step changes the weights it was made with.

    The gradient of what a layer is given is computed with the layer's weights, and `step()` changes these in place.
    A `backward()` that comes after it, to a graph from before it, raises `one of the variables needed for gradient
    computation has been modified by an inplace operation`: a critic that has stepped and then tells the actor, a
    discriminator whose verdict on one batch is used for both losses. Compute the second loss after the step, or step
    both optimizers when both have gone back. Until PyTorch 1.5 the gradients were silently wrong.

    Left alone are single layers with nothing before them that wants gradients, and programs that freeze parameters.

    https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("backward",)
    project_words = (".step(",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.stale_graphs import stale_graphs

        for found in stale_graphs(file.evaluator(), file):
            yield self.finding(
                found.backward,
                "needs weights as they were before a step: go back before it, or compute the loss after it",
                trace=(found.part.step("computed with them here"), found.step.step("changed here")),
            )
