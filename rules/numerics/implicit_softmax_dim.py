"""A softmax without a dimension."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, SourceFile

_FUNCTIONS = frozenset(f"torch.nn.functional.{name}" for name in ("softmax", "log_softmax", "softmin"))
_MODULES = frozenset(f"torch.nn.{name}" for name in ("Softmax", "LogSoftmax", "Softmin"))


class ImplicitSoftmaxDim(Rule):
    """Pass `dim` to a softmax.

    `F.softmax(x)` and `nn.Softmax()` choose the dimension by the number of dimensions: dimension 0 for one or three,
    otherwise 1. What is right for a batch of rows runs over the batch itself if there is a third dimension, and samples
    are normalized against each other. Each call warns that the implicit choice is deprecated.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmax.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("oftmax", "oftmin")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for names, position in ((_FUNCTIONS, 1), (_MODULES, 0)):
            for call in file.method_calls(*file.words_for(names)):
                if _says_nothing(call, position) and call.callee.names & names and not call.is_partial:
                    yield self.finding(call, f"{quoted(call)} uses dimension 1 for 2-D and 0 for 3-D input; pass `dim`")


def _says_nothing(call: Call, position: int) -> bool:
    """Tell whether a call passes no dimension; most of them do, which takes no query to see."""
    dimension = call.argument("dim", position)
    return not call.is_open and (dimension is None or dimension.text == "None")
