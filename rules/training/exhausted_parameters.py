"""Generators of parameters that are exhausted before they are used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class ExhaustedParameters(Rule):
    """Make a list of parameters that are used more than once.

    `module.parameters()` is a generator, and so is what `filter` or `chain` returns for it: the first loop over it
    exhausts it. A second optimizer raises that its list is empty; `clip_grad_norm_` clips nothing, and a loop that
    should freeze parameters does nothing, without an error.

    Not reported:

    - lists
    - generators that are created again for each use
    - values that may be something else
    - methods of the same names of objects that may not be modules

    https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.parameters
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("parameters(", "buffers(", "modules(", "children(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.exhausted import exhausted

        for found in exhausted(file.evaluator(), file):
            is_same = found.first.span == found.place.span
            used = "exhausted here, in the first iteration" if is_same else "exhausted here"
            code = found.made.code
            listed = quoted(f"list{code}" if code.startswith("(") else f"list({code})")
            yield self.finding(
                found.place,
                f"{quoted(found.place)} is a generator that is already exhausted; make a list: {listed}",
                trace=(found.made.step("created here"), found.first.step(used)),
                fix=_listed(found.made),
            )


def _listed(made: Place) -> Fix | None:
    edits = made.edits.pass_to("list")
    doubt = "code that got no parameters gets them now"
    return Fix("Make a list", edits, safe=False, doubt=doubt) if edits else None
