"""Compiled code that is compiled again with every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.recompiles import Recompile


class RecompiledEveryStep(Rule):
    """Do not pass numbers that change with every step to compiled code.

    Dynamo takes strings and some Python numbers for constants, and compiles again for every new value: an int attribute
    of a module, such as a counter that `forward` increments, a number that says how often a loop in the function runs,
    and with `dynamic=False` any number that the function uses. After 8 times it gives up with `hit
    config.recompile_limit`, and from then on the function runs without being compiled. Other numbers that are passed
    become dynamic when they change for the first time.

    Not reported:

    - arguments that the function does not use, or only in a message
    - attributes that are counted in a buffer, behind a test of the step, or in a method that is not compiled
    - floats, and ints that are passed with the default `dynamic` and select no number of iterations

    https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("forward", "backward", "step")
    project_words = ("compile",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.recompiles import recompiles

        for found in recompiles(file.evaluator(), file):
            step = found.compiled.step("compiled here")
            yield self.finding(found.place, _message(found), trace=(step, *found.story))


def _message(found: Recompile) -> str:
    if found.constant.name == "ATTRIBUTE":
        return (
            f"{quoted(found.place)} is an int of a compiled module, and each new value recompiles; keep it in a buffer"
        )
    if found.constant.name == "ROUNDS":
        what = "unrolls a `range` up to it, so that each value recompiles; pass what it selects"
    elif found.constant.name == "TEXT":
        what = "recompiles for each text; pass what it selects"
    else:
        what = "recompiles for each value; pass a tensor"
    return f"{quoted(found.place)} changes in every step, and `{found.name}` {what}"
