"""Graphs that are retained because what is carried from iteration to iteration is not detached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RetainedGraph(Rule):
    """Detach what is carried over, and let `backward()` free its graph.

    A hidden state that is passed back to a module references the graph that computed it. `backward()` then goes back
    through all previous iterations, whose graphs are freed: "Trying to backward through the graph a second time".
    `retain_graph=True` removes the error, and makes every iteration slower and larger than the last. Pass
    `hidden.detach()` on, or sum the losses of a sequence and call `backward()` once.

    Not reported:

    - tensors that are detached or created anew in the loop
    - several losses of one iteration that share a graph
    - a single `backward()` after the loop

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("retain_graph",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.retained_graphs import retained_graphs

        for found in retained_graphs(file.evaluator(), file):
            yield self.finding(
                found.backward,
                f"{quoted(found.backward)} backpropagates through all previous iterations; "
                f"detach {quoted(found.name)} in every iteration",
                trace=(found.carried.step("carried to the next iteration here"),),
            )
