"""Integers as targets of a loss that wants floating-point numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

from .converting import converted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class IntegerTargets(Rule):
    """Pass targets of a binary cross-entropy as floating-point numbers.

    Labels of two classes are mostly stored as `int64` or `bool`. `BCEWithLogitsLoss` raises `result type Float can't be
    cast to the desired output type Long` for them, `BCELoss` raises `Found dtype Long but expected Float`, and
    `KLDivLoss` raises `Integral inputs not supported`; `L1Loss` refuses `bool`. `.float()` converts them.

    Not reported:

    - targets whose dtype is not known for sure
    - `MSELoss` and `SmoothL1Loss`, which convert
    - calls in a `try`, or that are expected to raise

    https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("loss", "Loss", "entropy", "Entropy", "crit", "kl_div")
    project_words = (
        "BCE",
        "binary_cross_entropy",
        "KLDivLoss",
        "kl_div",
        "L1Loss",
        "l1_loss",
        "soft_margin",
        "SoftMargin",
    )

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.refused_dtypes import refused_targets

        for found in refused_targets(file.evaluator(), file):
            dtype = found.numbers.dtype
            yield self.finding(
                found.call,
                f"{quoted(found.call)} raises, as the targets are `{dtype}` and not floating-point numbers;"
                " convert them with `.float()`",
                trace=(found.numbers.made.step(f"made as `{dtype}` here"),),
                fix=converted(found.given, ".float()", "Convert the targets"),
            )
