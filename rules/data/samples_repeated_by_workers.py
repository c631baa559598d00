"""Samples that every worker of a loader yields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class SamplesRepeatedByWorkers(Rule):
    """Let each worker of a loader yield its own part of an iterable dataset.

    Every worker of a `DataLoader` has a copy of an `IterableDataset` and iterates over all of it: with four workers
    each sample comes four times in an epoch, and no error says so. Ask `torch.utils.data.get_worker_info()` in
    `__iter__`, and go over every n-th sample or file from its `id` on.

    Not reported:

    - datasets that name workers, ranks or shards, and loaders with a `worker_init_fn`
    - datasets without an end, and those that draw their samples
    - datasets that go over an object that may know of workers itself, such as a dataset of another package
    - loaders with one worker or none, or whose number of workers is not known

    https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("__iter__",)
    project_words = ("IterableDataset",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.repeated_samples import repeated_samples

        for found in repeated_samples(file.evaluator(), file):
            yield self.finding(
                found.place,
                f"{quoted(found.place)} is read as a whole by each worker of the loader, so every sample is repeated;"
                " split it by `get_worker_info()`",
                trace=(found.loader.step("each worker of this loader goes over the dataset"),),
            )
