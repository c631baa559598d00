"""Calls of a gradient scaler in an order that it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Edit, Finding, SourceFile

# What happens, and what the other place has to do with it.
_MESSAGES = {
    "updated first": (
        "comes before the step that it goes by, and forgets the gradients: update after `step()`",
        "stepped here",
    ),
    "unscaled twice": (
        "raises, as the gradients are unscaled already: unscale once before each `update()`",
        "unscaled here",
    ),
    "unscaled late": ("raises, as the optimizer has stepped already: unscale before `step()`", "stepped here"),
    "stepped twice": ("raises, as the optimizer has stepped already: update the scaler between", "stepped here"),
    "each round": (
        "raises in the next round, which comes before `update()`: call it only in rounds that update",
        "updated here, not in each round",
    ),
    "never updated": ("raises from the second time on: call `update()` of the scaler after it", ""),
    "stepped directly": (
        "steps with gradients that have the loss scale in them: call `step()` of the scaler",
        "scaled here",
    ),
    "never scaled": ("raises, as the scaler has scaled no loss: call `backward()` of a scaled one", "not scaled here"),
}


class GradScalerOrder(Rule):
    """Scale, unscale, step and update, in this order and once in each round.

    A scaler keeps the stage of each optimizer until `update()`: it raises where `unscale_()` or `step()` comes for one
    that it has stepped already, where `unscale_()` comes twice, where `update()` comes before anything was unscaled,
    and where nothing was scaled yet. With accumulated gradients, `unscale_()` belongs into the rounds that step; in
    every micro-batch it raises in the second, and would divide what the first has divided. An optimizer that steps by
    itself goes by gradients some ten thousand times too large, and no error says so. On a machine without CUDA, where
    the scaler switches itself off, all of this works.

    Left alone are scalers that are switched off, and what somebody else may have updated in between.

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
                message,
                trace=(order.other.step(words),) if words else (),
                fix=_fix(order.how, order.call, order.other),
            )


def _fix(how: str, call: Call, other: Call) -> Fix | None:
    """Return the edit that is sure to be right: the program has raised without it."""
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
