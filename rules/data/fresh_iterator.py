"""An iterator over a loader for each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class FreshIterator(Rule):
    """Iterate over a loader with `for`, or keep the iterator for the steps to come.

    `next(iter(loader))` starts the loader again with every step: all workers start, fetch their first batches, and
    are stopped after one of them is used. A loader that shuffles yields the first batch of another order each time, so
    that an epoch leaves samples out and repeats others; one that does not yields the same batch with every step.

    Not reported:

    - single batches that are taken before the loop, or every N steps
    - loaders that are made in the same loop, and those whose batch is the whole data set

    https://docs.pytorch.org/docs/stable/data.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("iter(", "__iter__(")
    project_words = ("DataLoader", "Loader")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.fresh_iterators import fresh_iterators

        for found in fresh_iterators(file.evaluator(), file):
            yield self.finding(
                found.call,
                f"{quoted(found.call)} restarts the loader with every step and takes only its first batch;"
                f" iterate over {quoted(found.loader)}, or keep the iterator",
                trace=found.story,
            )
