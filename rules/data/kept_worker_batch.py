"""Tensors of a loader's workers that are kept in a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class KeptWorkerBatch(Rule):
    """Copy what is kept of a worker's batch: `labels.clone()`, `labels.tolist()`.

    A worker of a `DataLoader` sends a tensor as a file descriptor of shared memory, which stays open as long as the
    tensor, or a view or an array of its memory, is kept. A process may have 1,024 open by default on Linux. A list of
    the tensors of all batches reaches that with some 1,000 batches, and the loader raises `RuntimeError: Too many open
    files` or `received 0 items of ancdata`. A copy has no file descriptor. The rule is opt-in, as many data sets have
    fewer batches.

    Not reported:

    - tensors that the loop moves or computes with first, and loaders that pin memory, which copies them
    - programs that call `torch.multiprocessing.set_sharing_strategy`
    - loops that stop early, and lists that are emptied in the loop

    https://docs.pytorch.org/docs/stable/multiprocessing.html#file-descriptor-file-descriptor
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    default = False
    words = ("append", "extend", "insert")
    project_words = ("num_workers",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.kept_batches import kept_batches

        for found in kept_batches(file.evaluator(), file):
            yield self.finding(
                found.value,
                f"{quoted(found.value)} is kept with its file descriptor; at about 1,000 of them the loader raises, so"
                " keep a copy, as of `.clone()`",
                trace=(found.loader.step("the loader, which has workers, is created here"),),
                confidence=None if found.is_sure else Confidence.MEDIUM,
            )
