"""The visible GPUs are chosen after CUDA was initialized."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LateVisibleDevices(Rule):
    """Set `CUDA_VISIBLE_DEVICES` before the first use of CUDA.

    The driver reads the variable once, when CUDA is initialized, and `torch.cuda.is_available()` already does that. A
    later value is silently ignored: the program runs on GPU 0, beside other programs, and not on the GPU that the user
    chose. A call at the top of a file counts, also in one that is imported before the options are parsed. It is safest
    to set the variable outside the program.

    Not reported:

    - assignments before the first use of CUDA (importing torch does not use it)
    - assignments for child processes that the function starts
    - uses of CUDA on some paths only
    - assignments where a test has found no CUDA
    - `torch.cuda.device_count()`, which does not initialize CUDA since torch 2.0, and `torch.device("cuda")`

    The programs on this page are not replayed: the process that runs them has already queried the driver.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#environment-variables
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("CUDA_VISIBLE_DEVICES",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for store, story in file.late_stores("CUDA_VISIBLE_DEVICES"):
            yield self.finding(
                store.place,
                "`CUDA_VISIBLE_DEVICES` has no effect after CUDA is initialized; set it before the first use of CUDA",
                trace=story,
            )
