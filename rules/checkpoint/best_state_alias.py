"""The best state so far, kept without a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class BestStateAlias(Rule):
    """Copy the state dict that is kept while training continues.

    `state_dict()` returns references to the parameters, not copies of their values. The optimizer changes them in
    place, and the kept state with them: after the loop the best state is the last one, and no error says so. The same
    holds for a second name for the module, and for shallow copies of the dict, `dict(…)` and `copy.copy(…)`, and for
    a first state to which each of several runs resets the module: it loads what the run before has left.

    Not reported:

    - states that are saved to a file at once
    - `copy.deepcopy(…)`, and `clone()` or `cpu()` of each value
    - states that every iteration replaces, and loops that stop right there
    - modules that each iteration of a search creates anew

    https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("state_dict", "best")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.aliasing import state_aliases

        for alias in state_aliases(file.evaluator(), file):
            yield self.finding(
                alias.place,
                f"{quoted(alias.place)} shares its tensors with the model, so training changes it; "
                "keep a `copy.deepcopy(…)`",
                trace=(alias.loop.step("this loop continues training"), alias.read.step("read here, after more steps")),
                fix=_copied(alias.place),
            )


def _copied(place: Place) -> Fix | None:
    copy = place.named("copy.deepcopy")
    if copy is None:
        return None
    name, needed = copy
    edits = place.edits.pass_to(name)
    return Fix("Keep a copy", (*needed, *edits), safe=True) if edits else None
