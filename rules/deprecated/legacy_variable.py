"""Variables that were meant to be volatile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class LegacyVariable(Rule):
    """Evaluate under `no_grad`: `volatile` no longer has an effect.

    Until PyTorch 0.4, `Variable(x, volatile=True)` kept autograd from recording what was computed from it. Now it only
    warns: an evaluation records the whole graph, takes longer, keeps all activations as long as its results exist, and
    may run out of GPU memory. Use `torch.no_grad()` around the evaluation. For a target, which needs no gradients,
    remove the argument.

    Not reported:

    - `Variable(x)`, which returns `x` itself
    - code that already runs under `no_grad`, here or in the callers
    - programs that check the version first

    https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("volatile",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.volatile import volatile_variables

        for one in volatile_variables(file.evaluator(), file):
            if one.is_evaluated:
                message = (
                    "`volatile` has no effect since PyTorch 0.4, so autograd records; evaluate under `torch.no_grad()`"
                )
            else:
                message = "`volatile` has no effect since PyTorch 0.4 and warns; remove it"
            yield self.finding(one.argument, message, fix=None if one.is_evaluated else _left_out(one.call))


def _left_out(call: Place) -> Fix | None:
    edits = call.edits.drop_argument("volatile")
    return Fix("Remove `volatile`", edits, safe=True) if edits else None
