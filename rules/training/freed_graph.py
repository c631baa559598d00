"""Graphs that `backward()` goes through a second time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class FreedGraph(Rule):
    """Call `backward()` once for each graph, or detach what is shared.

    `backward()` frees the tensors that a graph saved for its gradients. Another `backward()` that reaches the same call
    of a module raises `Trying to backward through the graph a second time`. Examples are a generator's output that is
    used in the discriminator's loss and then in the generator's loss, two losses of one forward pass, a sum of losses
    that each iteration adds to and calls `backward()` on, a hidden state that is carried from batch to batch, and
    features, a penalty or an attribute that are computed once, before the loop whose iterations all use them. Detach
    what another loss trains, sum losses and call `backward()` once, detach what is carried over, and compute in the
    loop what is trained there.

    `retain_graph=True` removes the error, but rarely the mistake: see `retained-graph`.

    Not reported:

    - tensors that are detached or created anew on the way, also by unknown code
    - programs that freeze parameters, whose graphs may end before

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.freed_graphs import freed_graphs

        for found in freed_graphs(file.evaluator(), file):
            if found.is_computed_once:
                yield self.finding(
                    found.backward,
                    f"{quoted(found.backward)} backpropagates through the graph of {quoted(found.name)}, "
                    "which the first iteration freed; compute it in each iteration",
                    trace=(found.part.step("computed here, before the loop"),),
                )
            elif found.freed is None:
                yield self.finding(
                    found.backward,
                    f"{quoted(found.backward)} backpropagates through the graph of the previous iteration, "
                    f"which is freed; detach {quoted(found.name)}",
                    trace=(found.part.step("the graph of this call is carried to the next iteration"),),
                )
            else:
                yield self.finding(
                    found.backward,
                    f"{quoted(found.backward)} backpropagates through a freed graph; "
                    "call `backward()` once, on the sum of the losses, or detach what they share",
                    trace=(found.part.step("computed here"), found.freed.step("freed here")),
                )
