"""Leaves that are changed in place while autograd records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class InplaceOnLeaf(Rule):
    """Change parameters under `torch.no_grad()`.

    Gradients accumulate in leaf tensors, so autograd does not allow in-place operations on a leaf that requires grad:
    `p -= lr * p.grad` on a parameter, `layer.weight.fill_(0)` and `w[0] = 1` raise `a leaf Variable that requires grad
    is being used in an in-place operation`. An update, an initialization or a mask needs no gradients: put it in a
    `with torch.no_grad():` block, or use a function of `nn.init`, which does so itself.

    Not reported:

    - code that any known caller runs under `no_grad` or `inference_mode`, or that has no known caller in a program that
      may do so
    - `.data` and `.detach()`
    - parameters that may be frozen
    - code that is expected to raise

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
                f"{_change(change.place)} a {kind} in place, which autograd does not allow; use `torch.no_grad()`",
                trace=() if made.line == change.place.line else (made.step("created here"),),
                fix=_unrecorded(change.place),
            )


def _change(place: Place) -> str:
    """Return how a message starts: a call changes the leaf, or an assignment to it does."""
    return f"{quoted(place)} changes" if place.code.endswith(")") else f"assigning to {quoted(place)} changes"


def _unrecorded(place: Place) -> Fix | None:
    name = place.named("torch.no_grad")
    edits = place.edits.within(f"with {name[0]}():") if name is not None else ()
    if name is None or not edits:
        return None
    doubt = "no gradients flow through the change then"
    return Fix("Use `torch.no_grad()` here", (*name[1], *edits), safe=False, doubt=doubt)
