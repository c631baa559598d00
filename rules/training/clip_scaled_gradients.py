"""Gradients that are clipped while the loss scale is still in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Call, Finding, Place, SourceFile


class ClipScaledGradients(Rule):
    """Take the loss scale out of the gradients before they are clipped.

    A gradient scaler multiplies the loss, and with it all gradients, by a scale of some ten thousand, so that small
    ones survive in half precision; its `step()` divides them again. What clips them in between sees norms that large,
    cuts all of them down to the limit, and the division leaves next to nothing: the module hardly learns, and no error
    says so. On a machine without CUDA, where the scaler is switched off, it learns well.

    Left alone are functions that call `unscale_()` themselves, scalers that are switched off, and clipping on a way
    that scales nothing.

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
                "limits gradients that still have the loss scale in them: call `unscale_()` of the scaler before",
                trace=(clip.scaling.step("scaled here"), clip.step.step("unscaled here, too late")),
                fix=_unscaled(clip.place, clip.step),
            )


def _unscaled(place: Place, step: Call) -> Fix | None:
    if step.owner is None or len(step.arguments) != 1:
        return None
    line = place.edits.line_before(f"{step.owner.text}.unscale_({step.arguments[0].text})")
    if line is None:
        return None
    return Fix("Unscale first", (line,), safe=False, doubt="steps become larger, and the limit means what it says")
