"""A clock read before the GPU is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnsynchronizedTiming(Rule):
    """Wait for the GPU before you read the clock.

    Calls on CUDA tensors queue their work and return at once. A clock that is read right after them tells how long it
    took to queue the work, often a tenth of what it takes to do it, and whatever waits for the GPU next is blamed for
    the rest. `torch.cuda.synchronize()` before each reading of the clock, or a pair of `torch.cuda.Event`s, tells the
    time that the work took.

    Left alone are stretches in which anything waits for the work (`.item()`, `.cpu()`, a print of a tensor), loops
    that wait or upload a batch with every round, also where an operation such as `torch.cat` follows,
    stretches that call what nobody can look into, and programs that ask for no device. How far a clock is off only a
    real GPU can tell, so the programs of this rule claim nothing.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("time", "perf_counter", "monotonic", "now(")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.timing import unsynchronized_timings

        if not file.project.library.asks_for_devices:
            return
        for timing in unsynchronized_timings(file.evaluator(), file):
            yield self.finding(
                timing.stop,
                "is read before the GPU is done: call `torch.cuda.synchronize()` first",
                trace=(timing.start.step("the clock starts here"), timing.work.step("this is only queued")),
            )
