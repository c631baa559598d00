"""Generators of parameters that are used up before they are used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class ExhaustedParameters(Rule):
    """Make a list of parameters that are used more than once.

    `module.parameters()` is a generator, and so is what `filter` or `chain` makes of some: whoever goes through it
    first uses it up. A second optimizer raises that its list is empty; `clip_grad_norm_` clips nothing, and a loop that
    was to freeze parameters goes round no time, without an error.

    Left alone are lists, generators that are made anew for each use, and what may be something else.

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.parameters
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("parameters(", "buffers(", "modules(", "children(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.exhausted import exhausted

        for found in exhausted(file.evaluator(), file):
            is_same = found.first.span == found.place.span
            used = "used up here, in the first round" if is_same else "used up here"
            yield self.finding(
                found.place,
                "is a generator with nothing left in it: make a list of it",
                trace=(found.made.step("made here"), found.first.step(used)),
                fix=_listed(found.made),
            )


def _listed(made: Place) -> Fix:
    edits = (made.edits.before("list("), made.edits.after(")"))
    return Fix("Make a list", edits, safe=False, doubt="what found nothing finds the parameters now")
