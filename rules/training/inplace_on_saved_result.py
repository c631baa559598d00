"""Results that `backward()` needs unchanged, changed in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

_RAISING = "{1} changes the result of `{0}` in place, so `backward()` raises; create a new tensor"
_HIDDEN = "{1} changes the result of `{0}`, so gradients are silently wrong; create a new tensor, without `.data`"
_DOUBT = "other references to the tensor keep the old values"


class InplaceOnSavedResult(Rule):
    """Do not change the result of `sigmoid`, `softmax` or `relu` in place.

    The gradient of these functions is computed from their result, so autograd saves the result. If it is changed in
    place, as by `out = relu(x)` and then `out += skip`, `backward()` raises `one of the variables needed for gradient
    computation has been modified by an inplace operation`, far from the line that changed it. A change through `.data`
    raises nothing, and the gradients are wrong. `out = out + skip` creates another tensor.

    Reported are results that certainly have a graph, if a `backward()` that starts from a value computed from them is
    found in the function or in its callers.

    Not reported:

    - results of operations that save their input (`gelu`, `silu`, `leaky_relu`, `log`)
    - code under `torch.no_grad()`
    - programs that freeze parameters or compile the module, which then changes nothing in place

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
            is_call = change.place.code.endswith(")")
            what = f"{'' if is_call else 'assigning to '}{quoted(change.place)}"
            yield self.finding(
                change.place,
                (_HIDDEN if change.is_hidden else _RAISING).format(name, what),
                trace=(
                    change.made.call.step(f"`{name}` saves its result for `backward()` here"),
                    change.backward.step("`backward()` is called here"),
                ),
                fix=Fix("Use a new tensor", edits, safe=False, doubt=_DOUBT) if edits else None,
            )
