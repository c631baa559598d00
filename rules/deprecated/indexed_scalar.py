"""Losses whose number is read by an index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Cause, Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_TENSORS = Cause("indexes a 0-dim tensor, which raises `IndexError` since PyTorch 1.0", "in the file", "use `.item()`")
_NUMBERS = Cause("indexes a number, which raises `TypeError`", "in the file", "use `.item()`")


class IndexedScalar(Rule):
    """Read the value of a loss with `item()`.

    Until PyTorch 0.4 a loss was a tensor of one element, and `loss.data[0]` its value; the same held for `total[0]`, a
    sum of losses. Since 0.4 it has no dimension: the index warned in that release, and since 1.0 it raises `invalid
    index of a 0-dim tensor` at the first batch that is trained or logged.

    Reported are tensors that certainly have no dimension: what the losses of `torch.nn` return unless
    `reduction="none"`, sums and means, and what is computed from these, also through functions of the project.

    Not reported:

    - programs that catch the error
    - programs that check the version first
    - projects whose requirements allow no PyTorch from 1.0 on: `torch==0.3.1`

    https://docs.pytorch.org/docs/stable/generated/torch.Tensor.item.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = (".data", ".numpy(", ".tolist(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.indexed_scalars import indexed_scalars

        for one in indexed_scalars(file.evaluator(), file):
            cause = _NUMBERS if one.is_number else _TENSORS
            yield self.finding(
                one.place,
                f"{quoted(one.place)} {cause.happens}; {cause.advice}",
                fix=Fix("Use `.item()`", (one.edit,), safe=True),
                cause=cause.at(file.path),
            )
