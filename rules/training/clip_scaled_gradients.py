"""Gradients that are clipped while the loss scale is still in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class ClipScaledGradients(Rule):
    """Unscale the gradients before you clip them.

    A gradient scaler multiplies the loss, and with it all gradients, by some ten thousand, so that small ones survive
    in half precision; its `step()` divides them again. Clipping in between sees these large norms and clips all
    gradients, and the division leaves almost nothing: the module hardly learns, and no error says so. On a machine
    without CUDA, where the scaler is disabled, it learns well.

    Not reported:

    - functions that call `unscale_()` themselves
    - disabled scalers
    - clipping on a path that scales nothing

    https://docs.pytorch.org/docs/stable/notes/amp_examples.html#gradient-clipping
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("clip_grad",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.scaled_clips import scaled_clips

        for clip in scaled_clips(file.evaluator(), file):
            yield self.finding(
                clip.place,
                f"{quoted(clip.place)} clips gradients that are still scaled; call {_unscaling(clip.step)} first",
                trace=(clip.scaling.step("scaled here"), clip.step.step("unscaled here, too late")),
                fix=_unscaled(clip.place, clip.step),
            )


def _unscaling(step: Call) -> str:
    if step.owner is None or len(step.arguments) != 1:
        return "`unscale_()` of the scaler"
    return quoted(f"{step.owner.code}.unscale_({step.arguments[0].code})")


def _unscaled(place: Place, step: Call) -> Fix | None:
    if step.owner is None or len(step.arguments) != 1:
        return None
    line = place.edits.line_before(f"{step.owner.text}.unscale_({step.arguments[0].text})")
    if line is None:
        return None
    return Fix("Unscale first", (line,), safe=False, doubt="updates become larger, as intended by the limit")
