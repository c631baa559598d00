"""A module in the loss that no optimizer is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnoptimizedModule(Rule):
    """Give the optimizer the parameters of every module that is to be trained.

    An optimizer changes the parameters that it is given, and no others. A loss with parameters of its own, such as the
    centers of classes, or a second network in the loss gets gradients by `backward()`, but without an optimizer its
    parameters keep the random values that they began with. Nothing raises, and the loss still decreases.

    Not reported:

    - modules that are frozen, loaded, evaluated with `eval()`, or whose class changes its parameters itself
    - modules that are a part of another module, or are passed to a function outside the project
    - modules whose `parameters()` are read anywhere
    - tests

    https://docs.pytorch.org/docs/stable/optim.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("optim",)
    project_words = ("backward",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unoptimized_modules import unoptimized_modules

        for found in unoptimized_modules(file.evaluator(), file):
            place = found.optimizer if found.optimizer.path == file.path else found.made
            yield self.finding(
                place,
                f"{quoted(found.made)} gets gradients, but no optimizer has its parameters, so they are never updated;"
                " add its `parameters()`",
                trace=(
                    found.made.step("made here"),
                    found.used.step("computes a part of the loss here"),
                    found.backward.step("gets gradients here, which no optimizer uses"),
                ),
            )
