"""Leaves that are changed in place while autograd records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class InplaceOnLeaf(Rule):
    """Change parameters under `torch.no_grad()`.

    A leaf that wants gradients is where gradients end up, so autograd lets nobody change it in place while it records:
    `p -= lr * p.grad` on a parameter, `layer.weight.fill_(0)` and `w[0] = 1` raise `a leaf Variable that requires grad
    is being used in an in-place operation`. An update, an initialisation or a mask is nothing to differentiate: write
    it in a `with torch.no_grad():` block, or call a function of `nn.init`, which does so itself.

    Left alone is what any known caller runs under `no_grad` or `inference_mode`, what a program without any known
    caller may, `.data` and `.detach()`, parameters that something may have frozen, and what is expected to raise.

    https://docs.pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("_(", "+=", "-=", "*=", "/=", "] =")
    project_words = ("arameter", "requires_grad", "weight", "bias")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.leaf_changes import leaf_changes

        for change in leaf_changes(file.evaluator(), file):
            kind = "parameter" if change.leaf.is_parameter else "leaf"
            made = change.leaf.place
            yield self.finding(
                change.place,
                f"raises: autograd refuses to change a {kind} in place, so do it under `torch.no_grad()`",
                trace=() if made.line == change.place.line else (made.step("it comes from here"),),
                fix=_unrecorded(change.place),
            )


def _unrecorded(place: Place) -> Fix | None:
    name = place.named("torch.no_grad")
    edits = place.edits.within(f"with {name[0]}():") if name is not None else ()
    if name is None or not edits:
        return None
    doubt = "nothing is differentiated through the change then"
    return Fix("Let autograd record nothing here", (*name[1], *edits), safe=False, doubt=doubt)
