"""Gradients that pile up from round to round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class MissingZeroGrad(Rule):
    """Zero the gradients in every round of a training loop.

    `backward()` adds to the gradients that are there, and `step()` leaves them there. Where nobody zeroes them, every
    step goes by the sum over all rounds so far: it keeps going where the loss was once, ever faster, and training
    swings or diverges without an error.

    Left alone are loops that zero anything, by themselves, by what they call, or by who calls them, under whatever
    condition, be it anything but the optimizer of a module that has nothing to do with this one; what reads or sets
    `.grad`; optimizers of others than PyTorch, which may zero gradients themselves; and loops that make their optimizer
    anew or go round but once.

    https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unzeroed import unzeroed_steps

        for found in unzeroed_steps(file.evaluator(), file):
            yield self.finding(
                found.step,
                "goes by the gradients of all rounds so far: call `zero_grad()` in every round",
                trace=(found.loop.step("repeated here"), found.backward.step("added to the gradients here")),
                fix=_zeroed(found.step, found.optimizer),
                confidence=None if found.is_made_in_view else Confidence.MEDIUM,
                severity=None if found.is_made_in_view else Severity.WARNING,
            )


def _zeroed(step: Call, optimizer: Place) -> Fix | None:
    if not step.is_statement or not optimizer.is_name:
        return None
    line = step.edits.line_after(f"{optimizer.text}.zero_grad()")
    return Fix("Zero after each step", (line,), safe=False, doubt="training takes other steps") if line else None
