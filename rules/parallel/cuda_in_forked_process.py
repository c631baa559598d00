"""CUDA in a process forked from one that uses it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile, Step

    from .detectors.forked_cuda import ForkedCuda


class CudaInForkedProcess(Rule):
    """Use CUDA in the main process only, and move batches there.

    On Linux the workers of a `DataLoader` are forked, and so are the processes of `multiprocessing` before Python 3.14.
    A process that was forked after CUDA was initialized cannot use it: `Cannot re-initialize CUDA in forked
    subprocess`. A dataset or `collate_fn` that moves its tensors to the GPU, or keeps them there, raises as soon as
    there are workers. A process or pool raises where it uses a tensor or module on the GPU that it is passed, or that
    it takes from a queue.

    Not reported:

    - loaders without workers
    - processes that are started with `spawn` or `forkserver`, by a context or for the whole program
    - processes that are forked before anything is on the GPU

    https://docs.pytorch.org/docs/stable/notes/multiprocessing.html#cuda-in-multiprocessing
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("cuda", "device", ".to(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.forked_cuda import forked_cuda

        for forked in file.share_of(forked_cuda):
            yield self.finding(forked.place, f"{quoted(forked.place)} {_message(forked)}", trace=_trace(forked))


def _message(forked: ForkedCuda) -> str:
    if forked.given is not None and forked.is_loader:
        return "keeps tensors on the GPU, which forked workers cannot use; keep them on the CPU, and move batches"
    if forked.given is not None:
        return "passes CUDA tensors to a forked process, which cannot use them; start it with `spawn`"
    if forked.kept is not None:
        return "reads a CUDA tensor in a forked process, which cannot use it; keep it on the CPU"
    cure = "move it to the main process" if forked.is_loader else "start the process with `spawn`"
    return f"uses CUDA in a forked process, which raises; {cure}"


def _trace(forked: ForkedCuda) -> tuple[Step, ...]:
    kept = (forked.kept.step("moved to the GPU here"),) if forked.kept is not None else ()
    if forked.given is not None:
        return (forked.given.step("on the GPU"),)
    return (*kept, forked.forked_at.step("the processes are forked here"))
