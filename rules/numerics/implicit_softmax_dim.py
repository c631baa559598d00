"""A softmax without a dimension."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class ImplicitSoftmaxDim(Rule):
    """Pass `dim` to a softmax.

    `F.softmax(x)` and `nn.Softmax()` choose the dimension by the number of dimensions: dimension 0 for one or three,
    otherwise 1. What is right for a batch of rows runs over the batch itself if there is a third dimension, and samples
    are normalized against each other. Each call warns that the implicit choice is deprecated.

    Not reported:

    - calls with `*args` or `**kwargs`, which may hold `dim`
    - `functools.partial`, whose call may pass it

    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("oftmax", "oftmin")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.implicit_softmaxes import implicit_softmaxes

        for call in implicit_softmaxes(file):
            yield self.finding(call, f"{quoted(call)} uses dimension 1 for 2-D and 0 for 3-D input; pass `dim`")
