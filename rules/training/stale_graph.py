"""Graphs that `backward()` goes through with other weights than they were computed with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class StaleGraph(Rule):
    """Call `backward()` before a step changes the weights of the graph.

    The gradient of a layer's input is computed with the layer's weights, and `step()` changes these in place. A later
    `backward()` through a graph from before the step raises `one of the variables needed for gradient computation has
    been modified by an inplace operation`. Examples are a critic that steps before the actor's loss goes through it,
    and a discriminator whose output for one batch is used in both losses. Compute the second loss after the step, or
    step both optimizers after both calls of `backward()`. Until PyTorch 1.5 the gradients were silently wrong.

    So does `retain_graph=True` for a graph from before the loop, whose weights each iteration steps: compute it in each
    iteration.

    Not reported:

    - single layers whose input does not require grad
    - programs that freeze parameters

    https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("backward",)
    project_words = (".step(",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.stale_graphs import stale_graphs

        for found in stale_graphs(file.evaluator(), file):
            cure = "compute it in each iteration" if found.is_repeated else "call `backward()` first"
            yield self.finding(
                found.backward,
                f"{quoted(found.backward)} raises, as its graph uses weights that {quoted(found.step)} has "
                f"changed; {cure}",
                trace=(found.part.step("the weights are used here"), found.step.step("changed here")),
            )
