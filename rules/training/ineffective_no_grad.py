"""Modes of autograd that nobody enters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class IneffectiveNoGrad(Rule):
    """Enter `torch.no_grad()` by `with`; as a statement of its own it does nothing.

    `torch.no_grad()`, `torch.enable_grad()` and `torch.inference_mode()` make what a `with` statement enters and leaves
    again, or what decorates a function. The call alone switches nothing: an evaluation below it records every
    operation, keeps the graph of each batch in memory and takes longer for it, and a parameter that is changed in
    place raises as ever.

    Left alone is `torch.set_grad_enabled(False)`, which switches as soon as it is called, and a mode whose
    `__enter__()` somebody calls.

    https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("no_grad", "enable_grad", "inference_mode")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.idle_modes import idle_modes

        for mode in idle_modes(file):
            yield self.finding(
                mode,
                "switches nothing, as nobody enters it: put what it is for into a `with` block",
                fix=_entered(mode),
            )


def _entered(mode: Place) -> Fix | None:
    edits = mode.edits.head_of_rest("with ", ":" if mode.text.endswith(")") else "():")
    doubt = "what follows, to the end of its block, is run in this mode then"
    return Fix("Enter it for what follows", edits, safe=False, doubt=doubt) if edits else None
