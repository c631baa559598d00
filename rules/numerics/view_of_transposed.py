"""Views of transposed tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ViewOfTransposed(Rule):
    """Flatten a transposed tensor with `reshape`.

    `view` changes the shape of a tensor in the order of its memory, and a transposed tensor has another one. The
    accuracy of the first `k` guesses is often computed by `pred = pred.t()`, `correct = pred.eq(…)` and
    `correct[:k].view(-1)`: comparisons keep the strides of their operand, as they did not in old versions of PyTorch,
    and for `k` above 1 `view` raises `view size is not compatible with input tensor's size and stride`. `reshape` makes
    a copy where it has to.

    Not reported:

    - `k` of 1, and numbers that are not known: one row is in order
    - tensors whose sizes or strides are not known for sure
    - calls in a `try`

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("topk",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.transposed_views import transposed_views

        for found in transposed_views(file.evaluator(), file):
            yield self.finding(
                found.view,
                f"{quoted(found.view)} raises for {found.count} rows, as they are transposed; use `reshape`",
                trace=(found.transposed.step("transposed here"),),
                fix=Fix("Use `reshape`", (found.view.callee.edits.rename("reshape"),), safe=True),
            )
