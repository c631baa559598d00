"""Gradients that accumulate from iteration to iteration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile

    from .detectors.lent_gradients import Lent

# Until then, `zero_grad()` filled the gradients with zeros, also for another module that they were handed over to.
_LETS_GO = (2, 0)


class MissingZeroGrad(Rule):
    """Zero the gradients in every iteration of a training loop.

    `backward()` adds to the existing gradients, and `step()` does not reset them. If they are never zeroed, every step
    uses the sum over all iterations so far: training oscillates or diverges without an error.

    The workers of A3C compute gradients with a module of their own and hand them over to a shared one. `zero_grad()` of
    the shared module's optimizer does not reset those of the worker since PyTorch 2.0, which sets them to `None`.

    Not reported:

    - loops that zero any gradients, by themselves, in a function they call, or in a caller, under any condition, unless
      the optimizer belongs to an unrelated module, or a flag that does not change keeps the loop from it
    - code that reads or sets `.grad`, other than to hand it over
    - optimizers of other packages, which may zero gradients themselves
    - loops that create their optimizer in each iteration or run only once

    https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.lent_gradients import lent_gradients
        from .detectors.unzeroed import unzeroed_steps

        for found in unzeroed_steps(file.evaluator(), file):
            zero = quoted(f"{found.optimizer.code}.zero_grad()") if found.optimizer.is_name else "`zero_grad()`"
            how = "never zeroed" if found.is_made_in_view else "not zeroed here"
            yield self.finding(
                found.step,
                f"gradients are {how}: {quoted(found.step)} uses the sum over all iterations; call {zero}",
                trace=(found.loop.step("repeated here"), found.backward.step("added to the gradients here")),
                fix=_zeroed(found.step, found.optimizer),
                confidence=None if found.is_made_in_view else Confidence.MEDIUM,
            )
        target = file.oldest_torch
        if target is None or target >= _LETS_GO:
            yield from map(self._lent, lent_gradients(file.evaluator(), file))

    def _lent(self, found: Lent) -> Finding:
        local = found.lending.local.code
        return self.finding(
            found.backward,
            f"{quoted(found.backward)} adds to gradients of {quoted(local)} that are never zeroed;"
            f" call {quoted(f'{local}.zero_grad()')}",
            trace=(
                found.zeroing.step("sets only the gradients of the other module to `None`"),
                found.lending.place.step("the other module gets the gradients here"),
            ),
            confidence=None if found.is_made_in_view else Confidence.MEDIUM,
        )


def _zeroed(step: Call, optimizer: Place) -> Fix | None:
    if not step.is_statement or not optimizer.is_name:
        return None
    line = step.edits.line_after(f"{optimizer.text}.zero_grad()")
    return Fix("Zero after each step", (line,), safe=False, doubt="training changes") if line else None
