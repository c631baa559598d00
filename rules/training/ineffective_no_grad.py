"""Modes of autograd that are never entered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class IneffectiveNoGrad(Rule):
    """Use `torch.no_grad()` in a `with` statement or as a decorator.

    `torch.no_grad()`, `torch.enable_grad()` and `torch.inference_mode()` return a context manager. Calling it has no
    effect by itself: an evaluation below it records every operation, keeps the graph of each batch in memory and takes
    longer, and changing a parameter in place still raises.

    Not reported:

    - `torch.set_grad_enabled(False)`, which has an effect as soon as it is called
    - context managers whose `__enter__()` is called
    - calls above a `with` block that enters such a mode after all

    https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("no_grad", "enable_grad", "inference_mode")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.idle_modes import idle_modes

        for mode in idle_modes(file):
            is_called = mode.code.endswith(")")
            block = f"with {mode.code}:" if is_called else f"with {mode.code}():"
            yield self.finding(
                mode,
                f"{quoted(mode)} does nothing {'when only called' if is_called else 'as a statement'}; "
                f"use {quoted(block)}",
                fix=_entered(mode),
            )


def _entered(mode: Place) -> Fix | None:
    edits = mode.edits.head_of_rest("with ", ":" if mode.text.endswith(")") else "():")
    doubt = "the rest of the block runs in this mode then"
    return Fix("Use a `with` block for what follows", edits, safe=False, doubt=doubt) if edits else None
