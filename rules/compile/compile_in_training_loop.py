"""`torch.compile` called with every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class CompileInTrainingLoop(Rule):
    """Call `torch.compile` once, before the loop.

    `torch.compile` returns a new callable that has compiled nothing yet. A program that makes one in every step pays
    for the options, the backend and the wrapper again each time, and the new callable has to find the code that an
    earlier one compiled; with a backend that is created anew, `backend=partial(…)` or a `lambda`, it finds none and
    compiles again. `model = torch.compile(model)` in a loop compiles what is compiled already, which gives a plain
    function without `parameters()` and `state_dict()`.

    Not reported:

    - calls behind a test of what was compiled before, and in functions with a cache
    - calls once per epoch or every N steps

    https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("compile",)
    project_words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_compiles import repeated_compiles

        for found in repeated_compiles(file.evaluator(), file):
            yield self.finding(
                found.place,
                f"{quoted(found.place)} makes a new compiled callable {found.when}; compile once, and keep the result",
                trace=found.story,
            )
