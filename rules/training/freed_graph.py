"""Graphs that are gone through a second time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class FreedGraph(Rule):
    """Go back through a graph once, or cut it where somebody has been.

    `backward()` frees what the operations of a graph have kept for their gradients. Another one that comes to the same
    call of a module raises `Trying to backward through the graph a second time`: a generator's output that the
    discriminator's loss went through and the generator's loss does next, two losses of one forward, a sum of losses
    that each round adds to and goes back from, a hidden state that is handed on from batch to batch. Detach what
    another loss trains, add up losses and go back once, detach what is carried over.

    `retain_graph=True` makes the error go away, and seldom the mistake; of that, `retained-graph` speaks. Left alone
    is what is detached or made anew on the way, what a call of others may do so with, and programs that freeze
    parameters, where a graph may end before it comes there.

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.freed_graphs import freed_graphs

        for found in freed_graphs(file.evaluator(), file):
            if found.freed is None:
                yield self.finding(
                    found.backward,
                    f"goes through the round before again, which it has freed: detach `{found.name}` between rounds",
                    trace=(found.part.step("this call's graph is carried to the next round"),),
                )
            else:
                yield self.finding(
                    found.backward,
                    "goes through a graph again that was freed: detach it for one of the two, or go back from the sum",
                    trace=(found.part.step("computed here"), found.freed.step("gone through and freed here")),
                )
