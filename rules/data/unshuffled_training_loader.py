"""Loaders that give every epoch of a training the same batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Fix, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnshuffledTrainingLoader(Rule):
    """Shuffle the data that a model is trained with.

    A `DataLoader` does not shuffle by default: every epoch has the same batches, in the order of the dataset. If that
    is sorted by class, as `ImageFolder` sorts it, a batch has samples of one class only, and the model forgets the
    others meanwhile. `shuffle=True` draws another order in each epoch. The rule is off by default: the order may be
    intended, and nothing in the code has to say so.

    Not reported:

    - loaders with `shuffle=False`, which says so, with a sampler, or with one batch of everything
    - iterable datasets, and data whose order matters: time series, videos, sorted or sampled data
    - loops that are not known to train for several epochs

    https://docs.pytorch.org/docs/stable/data.html#data-loading-order-and-sampler
    """

    severity = Severity.INFO
    confidence = Confidence.MEDIUM
    default = False
    words = ("DataLoader",)
    project_words = ("epoch",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unshuffled_loaders import unshuffled_loaders

        for found in file.share_of(unshuffled_loaders):
            edit = found.loader.edits.last_argument("shuffle=True")
            fix = Fix("Pass `shuffle=True`", (edit,), safe=False, doubt="the order may be intended") if edit else None
            yield self.finding(
                found.loader,
                f"{quoted(found.loader)} loads the same batches in every epoch; pass `shuffle=True`",
                trace=(found.loop.step("trained with here"), found.epochs.step("in each epoch of this loop")),
                fix=fix,
            )
