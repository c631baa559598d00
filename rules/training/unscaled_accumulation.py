"""Gradients that are summed over several batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.unscaled_losses import UnscaledLoss


class UnscaledAccumulation(Rule):
    """Divide the loss by the number of batches that gradients are accumulated over.

    `backward()` adds to the gradients. Where the optimizer steps with every n-th batch and the loss is the mean over
    one batch, the gradients are n times those of one large batch: SGD makes a step n times as long, as with n times the
    learning rate, and training may diverge.

    Not reported:

    - losses that are sums, and those that the model or a class outside the project returns
    - loops whose gradients are changed, and files that divide or multiply anything by the same number
    - optimizers that divide the size of the gradients out, such as `Adam`, and those that are unknown

    https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-accumulation
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    default = False
    words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unscaled_losses import unscaled_losses

        for found in unscaled_losses(file.evaluator(), file):
            yield self.finding(
                found.backward,
                f"{quoted(found.backward)} sums the gradients of {quoted(found.number)} batches, so each step is"
                f" that many times larger; divide the loss by {quoted(found.number)}",
                trace=(found.step.step("the optimizer steps here, after several batches"),),
                fix=_divided(found),
            )


def _divided(found: UnscaledLoss) -> Fix | None:
    """Return the fix that divides the loss if it is a name, and leaves what is logged of it unchanged."""
    if not found.loss.is_name:
        return None
    text = f"{found.loss.text} / {found.number}"
    is_called = found.backward.owner is not None and found.backward.owner.span == found.loss.span
    edit = found.loss.edits.replace(f"({text})" if is_called else text)
    return Fix("Divide the loss", (edit,), safe=False, doubt="the learning rate may be chosen for the sum")
