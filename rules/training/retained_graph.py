"""Graphs that are retained because what is carried from round to round is not detached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RetainedGraph(Rule):
    """Detach what is carried over, and let `backward()` free its graph.

    A hidden state that a module is given back holds on to the graph that it was computed with. `backward()` in every
    round then goes back through all rounds before, which were freed: "Trying to backward through the graph a second
    time". `retain_graph=True` makes the error go away, and each round take longer and need more memory than the last.
    Hand on `hidden.detach()`, or add up the losses of a sequence and go back once.

    Left alone is what is detached or made anew in the loop, several losses of one round that share a graph, and what
    goes back once after the loop.

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
                f"goes back through all rounds so far once more: detach `{found.name}` between rounds",
                trace=(found.carried.step("carried to the next round here"),),
            )
