"""Losses whose number is taken by an index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class IndexedScalar(Rule):
    """Take the number of a loss with `item()`.

    Until PyTorch 0.4 a loss was a tensor of one element, and `loss.data[0]` its number, as was `total[0]` that of a sum
    of losses. Now it has no dimension, and the index raises `invalid index of a 0-dim tensor`, with the first batch
    that is trained or logged.

    Reported is what surely has none: what the losses of `torch.nn` return unless they are told to keep all, sums and
    means, and what is computed of these, through the functions of the project. Left alone are programs that catch the
    error or ask for the version first.

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".data",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.indexed_scalars import indexed_scalars

        for one in indexed_scalars(file.evaluator(), file):
            yield self.finding(
                one.place,
                "raises IndexError since PyTorch 1.0, as it has no dimension: take its `.item()`",
                fix=Fix("Take the number", (one.edit,), safe=True),
            )
