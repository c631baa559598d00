"""CUDA in a process forked from one that uses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile, Step

    from .detectors.forked_cuda import ForkedCuda


class CudaInForkedProcess(Rule):
    """Leave CUDA to the main process, and move batches there.

    On Linux the workers of a `DataLoader` are forked, and so are the processes of `multiprocessing` before Python 3.14.
    A process that is forked after CUDA was used cannot use it itself: `Cannot re-initialize CUDA in forked subprocess`.
    A dataset or `collate_fn` that moves its tensors to the GPU raises as soon as there are workers, and so does one
    that keeps its tensors there; a process or pool raises where it uses a tensor or module on the GPU that it is given.

    Left alone are loaders without workers, processes that are started by `spawn` or `forkserver`, by a context or for
    the whole program, and those that are forked before anything is on the GPU.

    https://docs.pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("cuda", "device", ".to(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.forked_cuda import forked_cuda

        for forked in file.share_of(forked_cuda):
            yield self.finding(forked.place, _message(forked), trace=_trace(forked))


def _message(forked: ForkedCuda) -> str:
    if forked.given is not None and forked.is_loader:
        return "keeps tensors on the GPU, which forked workers cannot use: keep them on the host, and move batches"
    if forked.given is not None:
        return "hands something on the GPU to a forked process, which cannot use CUDA: start it by `spawn`"
    if forked.kept is not None:
        return "reads a tensor on the GPU in a forked process, which cannot use CUDA: keep it on the host"
    cure = "do it in the main process" if forked.is_loader else "start the process by `spawn`"
    return f"raises in a forked process, which cannot use CUDA: {cure}"


def _trace(forked: ForkedCuda) -> tuple[Step, ...]:
    kept = (forked.kept.step("put on the GPU here"),) if forked.kept is not None else ()
    if forked.given is not None:
        return (forked.given.step("on the GPU"),)
    return (*kept, forked.forked_at.step("the processes are forked here"))
