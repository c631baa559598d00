"""CUDA in a process forked from one that uses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class CudaInForkedProcess(Rule):
    """Leave CUDA to the main process, and move batches there.

    On Linux the workers of a `DataLoader` are forked, and so are the processes of `multiprocessing` before Python 3.14.
    A process that is forked after CUDA was used cannot use it itself: `Cannot re-initialize CUDA in forked subprocess`.
    A dataset or `collate_fn` that moves its tensors to the GPU raises as soon as there are workers.

    Left alone are loaders without workers, and programs that start their processes by `spawn` or `forkserver`.

    https://docs.pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("cuda", "device", ".to(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.forks import forked_cuda

        for forked in file.share_of(forked_cuda):
            yield self.finding(
                forked.place,
                "raises in a forked process, which cannot use CUDA: do it in the main process",
                trace=(forked.forked_at.step("the processes are forked here"),),
            )
