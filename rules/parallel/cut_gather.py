"""Gradients that do not come through a gather."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class CutGather(Rule):
    """Put the rank's own tensor back into what `all_gather` returns for a loss.

    `torch.distributed.all_gather` writes the tensors of all ranks into others, which have no graph. A loss of these
    alone does not train what computed them: `backward()` raises `element 0 of tensors does not require grad`, or, where
    another part of the loss has a graph, goes on without an error and leaves that part of the model as it is. Put the
    tensor of the rank itself back among the results, `parts[rank] = x`: then each rank trains what it has computed.
    Some versions have an `all_gather` that gradients go through, in `torch.distributed.nn.functional`.

    Not reported:

    - gathers under `no_grad`, and those in an `autograd.Function`
    - results that are compared, or are the targets of a loss
    - tensors that come into the loss by another way too, such as `x @ gathered.T`

    https://docs.pytorch.org/docs/stable/distributed.html#torch.distributed.all_gather
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("all_gather",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.cut_gathers import cut_gathers

        for found in cut_gathers(file.evaluator(), file):
            yield self.finding(
                found.call,
                f"{quoted(found.call)} returns copies without a graph, so no gradient reaches {quoted(found.given)};"
                f" assign it to {quoted(found.results)} at the index of the rank",
                trace=found.story,
            )
