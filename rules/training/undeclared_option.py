"""Options that a program reads, and that its parser does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UndeclaredOption(Rule):
    """Declare the options that a program reads.

    `parse_args()` returns an object with one attribute for each option that `add_argument` declares. Reading any other
    raises `AttributeError`, often long after the start: in the branch for several GPUs, or where the first checkpoint
    is saved.

    Not reported:

    - options that any code stores, or asks for by name: `getattr(args, "amp", False)`
    - parsers with options of computed names, with those of other packages, or with defaults from a file
    - reads in a `try`, and code that cannot run

    https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code has a parser that declares what it reads.
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("arg", "opt", "conf", "cfg", "param", "flag", "hp")
    project_words = ("add_argument",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.missing_options import missing_options

        for found in missing_options(file.evaluator(), file):
            yield self.finding(
                found.read,
                f"{quoted(found.read)} raises an `AttributeError`, as no option `{found.name}` is declared; add it to"
                " the parser",
                trace=(found.parsed.step("the options are parsed here"),),
            )
