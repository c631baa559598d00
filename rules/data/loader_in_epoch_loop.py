"""A loader that every epoch makes again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LoaderInEpochLoop(Rule):
    """Create a loader with workers once, before the epochs.

    A `DataLoader` that is created in every epoch starts its workers again each time, and so does a dataset that is
    created with it: processes are forked or spawned, files are opened, what was cached is gone, and
    `persistent_workers=True` has no effect. Create it once, with `persistent_workers=True`, and iterate over it in each
    epoch: with `shuffle=True` each iteration has an order of its own.

    Not reported:

    - loaders without workers, or whose number of workers is not known
    - loaders made of what the loop changes, draws or computes
    - loops over folds and trials, which train another model each time

    https://docs.pytorch.org/docs/stable/data.html#multi-process-data-loading
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    words = ("DataLoader",)
    project_words = ("epoch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.rebuilt_loaders import rebuilt_loaders

        for found in rebuilt_loaders(file.evaluator(), file):
            what = "so that no worker persists" if found.keeps_workers else "and starts its workers again"
            is_here = found.caller is not None and found.caller.path == found.call.path
            place = found.caller if found.caller is not None and is_here else found.call
            steps = [found.loop.step("this loop goes over epochs")]
            if found.caller is not None:
                other = found.call if is_here else found.caller
                steps.append(other.step("creates the loader" if is_here else "each epoch comes from here"))
            yield self.finding(
                place,
                f"{quoted(place)} creates a loader in every epoch, {what}; create it once, before the loop",
                trace=steps,
            )
