"""Calls of a gradient scaler in an order on which it raises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Edit, Finding, SourceFile

# What happens, and how the other place is related.
_MESSAGES = {
    "updated first": (
        "{call} is called before {other}, whose result it needs; call it after that step",
        "stepped here",
    ),
    "updated between": (
        "{call} changes the scale before {other} unscales by it; call it once, after the steps of all optimizers",
        "stepped here",
    ),
    "unscaled twice": (
        "{call} raises, as the gradients are already unscaled; call it once per `update()`",
        "unscaled here",
    ),
    "unscaled late": (
        "{call} raises, as the optimizer has already stepped; call it before {other}",
        "stepped here",
    ),
    "stepped twice": (
        "{call} raises, as the optimizer has already stepped; call `update()` in between",
        "stepped here",
    ),
    "each round": (
        "{call} raises the second time before an `update()`; call it only in iterations that update",
        "updated here, not in every iteration",
    ),
    "never updated": (
        "{call} raises in the next iteration, as `update()` is never called; call it after the step",
        "",
    ),
    "stepped directly": (
        "{call} uses gradients that are still scaled; call `step()` of the scaler instead",
        "scaled here",
    ),
    "never scaled": (
        "{call} raises, as no loss was scaled; call `backward()` on `scale(loss)` of the scaler",
        "not scaled here",
    ),
}


class GradScalerOrder(Rule):
    """Scale, unscale, step and update in this order, once per iteration.

    A scaler keeps a state for each optimizer until `update()`. It raises if `unscale_()` or `step()` follows a `step()`
    of the same optimizer, if `unscale_()` is called twice, if `update()` is called before anything was unscaled, and if
    nothing was scaled. With gradient accumulation, `unscale_()` belongs in the iterations that step; in every
    micro-batch it raises in the second, and would divide the first gradients again. An optimizer that steps directly
    uses gradients that are some ten thousand times too large, and no error says so. Nor does one if `update()` is
    called between the steps of two optimizers: whenever it changes the scale, the gradients of the second are twice or
    half as large. On a machine without CUDA, where the scaler is disabled, all of this works.

    Not reported:

    - disabled scalers
    - scalers that other code may have updated in between

    https://docs.pytorch.org/docs/stable/notes/amp_examples.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("caler", "unscale_", ".scale(")
    project_words = ("GradScaler",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.scaler_orders import scaler_orders

        for order in scaler_orders(file.evaluator(), file):
            message, words = _MESSAGES[order.how]
            yield self.finding(
                order.call,
                message.format(call=quoted(order.call), other=quoted(order.other)),
                trace=(order.other.step(words),) if words else (),
                fix=_fix(order.how, order.call, order.other),
                severity=Severity.WARNING if order.how == "updated between" else None,
            )


def _fix(how: str, call: Call, other: Call) -> Fix | None:
    """Return the edit that is surely right: the program has raised without it."""
    if not call.is_statement or call.owner is None:
        return None
    match how:
        case "unscaled twice":
            return _made("Unscale once", call.edits.remove())
        case "updated first" if other.is_statement and other.span.column == call.span.column:
            line = other.edits.line_after(call.text)
            return _made("Update after the step", (line, *call.edits.remove()) if line is not None else ())
        case "never updated" if other == call:
            line = call.edits.line_after(f"{call.owner.text}.update()")
            return _made("Update the scaler", (line,) if line is not None else ())
        case _:
            return None


def _made(title: str, edits: tuple[Edit, ...]) -> Fix | None:
    return Fix(title, edits, safe=True) if edits else None
