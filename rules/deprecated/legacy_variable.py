"""Variables that were to be volatile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class LegacyVariable(Rule):
    """Evaluate under `no_grad`: what is volatile is recorded all the same.

    Until PyTorch 0.4, `Variable(x, volatile=True)` had autograd record nothing of what was computed from it. Now it
    warns that this has no effect: an evaluation records the whole graph, which takes longer and holds all activations
    for as long as its results are there, and a GPU that was large enough runs out of memory. `torch.no_grad()` around
    the evaluation does what was meant; for a target, which wants no gradients anyway, the argument is only to be left
    out.

    Left alone is `Variable(x)`, which gives `x` itself, what runs under `no_grad` already, here or in the callers, and
    programs that ask for the version first.

    https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("volatile",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.volatile import volatile_variables

        for one in volatile_variables(file.evaluator(), file):
            if one.is_evaluated:
                message = "has no effect since PyTorch 0.4, and all is recorded: evaluate under `torch.no_grad()`"
            else:
                message = "has no effect since PyTorch 0.4 but to warn: leave it out"
            yield self.finding(one.argument, message, fix=None if one.is_evaluated else _left_out(one.call))


def _left_out(call: Place) -> Fix | None:
    edits = call.edits.drop_argument("volatile")
    return Fix("Leave out what has no effect", edits, safe=True) if edits else None
