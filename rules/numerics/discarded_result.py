"""Operations on tensors whose result is not used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

from .detectors.pure_words import PURE_WORDS

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class DiscardedResult(Rule):
    """Assign what an operation on a tensor returns: it does not change the tensor.

    `x.clamp(0)`, `x.masked_fill(mask, 0)`, `x.squeeze(0)`, `F.relu(x)` and the like return a new tensor, or a new view.
    As a statement of its own the call does nothing but cost time: the values are not clamped, the mask is not applied,
    and nothing raises. Most methods have a twin that changes the tensor itself, by the same name with `_` at the end.

    Not reported:

    - `out=` and `inplace=True`
    - objects that may not be tensors
    - calls that are expected to raise, or made in a block that may watch them: a profiler, a test
    - expressions that a script lists without a use of any, as a lesson shows them
    - calls that are made to be timed, and tensors that are not read afterwards
    - the moves and conversions of `discarded-move`

    https://docs.pytorch.org/docs/stable/tensors.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = PURE_WORDS
    project_words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.discarded_results import discarded_results

        for lost in discarded_results(file.evaluator(), file):
            instead = f"assign it, or call `.{lost.twin}()`" if lost.twin else "assign it"
            yield self.finding(
                lost.call,
                f"{quoted(lost.call)} returns a new tensor that is discarded; {instead}",
                fix=_assigned(lost.call, lost.tensor),
            )


def _assigned(call: Place, tensor: Place) -> Fix | None:
    """Return the fix that assigns the result to the tensor's own name; an attribute may be a parameter and raise."""
    edit = call.edits.before(f"{tensor.text} = ") if tensor.is_name and tensor.is_read_below else None
    if edit is None:
        return None
    doubt = "other names still refer to the original tensor"
    return Fix("Assign the result", (edit,), safe=False, doubt=doubt)
