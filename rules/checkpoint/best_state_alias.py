"""The best state so far, kept without a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, Place, SourceFile


class BestStateAlias(Rule):
    """Copy the state dict that is to be kept while training goes on.

    `state_dict()` holds the parameters themselves, not what they were at that moment: the optimizer changes them in
    place, and with them what was kept. After the loop the best state is the last one, and no error says so. The same
    goes for a second name for the module, and for copies that copy the dict and not what is in it, `dict(…)` and
    `copy.copy(…)`.

    Left alone are states that are saved to a file at once, `copy.deepcopy(…)`, `clone()` or `cpu()` of each value,
    states that every round keeps anew, loops that stop right there, and modules that each round of a search makes
    anew.

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
                "goes on changing with every step: keep `copy.deepcopy(…)` of it",
                trace=(alias.loop.step("this loop trains on"), alias.read.step("read here, after more steps")),
                fix=_copied(alias.place),
            )


def _copied(place: Place) -> Fix | None:
    copy = place.named("copy.deepcopy")
    if copy is None:
        return None
    name, needed = copy
    return Fix("Keep a copy", (*needed, place.edits.before(f"{name}("), place.edits.after(")")), safe=True)
