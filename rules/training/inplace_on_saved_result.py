"""Results that `backward()` needs as they were, changed in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_RAISING = "`backward()` raises, as it needs what `{}` returned: compute anew instead of in place"
_HIDDEN = "`backward()` goes by these numbers for what `{}` returned: leave `.data` out, and compute anew"
_DOUBT = "whatever else holds the tensor keeps its old numbers"


class InplaceOnSavedResult(Rule):
    """Change nothing in place that `sigmoid`, `softmax` or `relu` returned.

    The gradient of these is computed from what they returned, so autograd keeps that and not what they were given.
    What is changed in place is no longer what it was: `out = relu(x)` and then `out += skip` has `backward()` raise
    `one of the variables needed for gradient computation has been modified by an inplace operation`, far from the line
    that did it. Changed through `.data`, it raises nothing, and the gradients are those of another function.
    `out = out + skip` makes another tensor and leaves the first alone.

    Reported is what surely has a graph, where a `backward()` that starts from what is computed of it is found, in the
    function or in its callers. Left alone is what comes of operations that keep what they were given (`gelu`, `silu`,
    `leaky_relu`, `log`), what `torch.no_grad()` does not record, and programs that freeze parameters or compile the
    module, which then changes nothing in place.

    https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-correctness-checks
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("_(", "+=", "-=", "*=", "/=", "] =")
    project_words = ("backward", "training_step", "compute_loss")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.saved_results import changed_results

        for change in changed_results(file.evaluator(), file):
            name = change.made.name.rpartition(".")[2]
            edits = () if change.is_hidden else change.place.edits.computed_anew()
            yield self.finding(
                change.place,
                (_HIDDEN if change.is_hidden else _RAISING).format(name),
                trace=(
                    change.made.call.step(f"`{name}` keeps what it returns here"),
                    change.backward.step("gradients are computed from here"),
                ),
                fix=Fix("Compute it anew", edits, safe=False, doubt=_DOUBT) if edits else None,
            )
