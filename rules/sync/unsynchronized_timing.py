"""A clock read before the GPU is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class UnsynchronizedTiming(Rule):
    """Wait for the GPU before you read the clock.

    Operations on CUDA tensors queue their work and return at once. A clock that is read right after them shows how long
    it took to queue the work, often a tenth of the time that the work takes, and the next call that waits for the GPU
    appears slow instead. Call `torch.cuda.synchronize()` before each reading of the clock, or use a pair of
    `torch.cuda.Event`s.

    The clock may be read in a function, by the methods of a timer class, in a context manager, or in a decorator.

    Not reported:

    - sections in which anything waits for the work (`.item()`, `.cpu()`, a print of a tensor, the check of a
      distribution's parameters)
    - loops that wait or upload a batch in every iteration, also if an operation such as `torch.cat` follows
    - sections that call unknown code, other than what `eval()` and the like show to be a module
    - programs that use no device

    The programs of this rule claim nothing, as only a real GPU shows how wrong the clock is.

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
            reads = "is read" if timing.timer is None else "reads the clock"
            steps = [timing.start.step("the clock starts here"), timing.work.step("this only queues work")]
            if timing.timer is not None:
                steps.append(timing.timer.step("the clock is read here"))
            yield self.finding(
                timing.stop,
                f"{quoted(timing.stop)} {reads} before the GPU is done; call `torch.cuda.synchronize()` first",
                trace=tuple(steps),
            )
