"""Options that are true whatever the user passes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class AlwaysTrueOption(Rule):
    """Declare an on-off option with `action="store_true"`, not `type=bool`.

    `argparse` calls the type with the text that the user passes, and `bool("False")` is true, as for any text that is
    not empty: with `type=bool`, `--amp False` and `--amp 0` turn mixed precision on. No error says so; the run trains
    on another device, with another precision or from other weights than asked for.
    `action=argparse.BooleanOptionalAction` declares `--amp` and `--no-amp`, `action="store_true"` only `--amp`.

    Not reported:

    - options that do not reach PyTorch: no call gets the value or depends on it
    - options with `choices`

    https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("type=bool", "type = bool")
    project_words = ("torch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.bool_options import bool_options

        for found in bool_options(file.evaluator(), file):
            yield self.finding(
                found.kind,
                f"`{found.name} False` sets it to true, as `bool` is true for any non-empty string; use"
                " `action=argparse.BooleanOptionalAction`",
                trace=(found.use.step("its value decides this"),),
            )
