"""The visible GPUs are chosen when CUDA has already looked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class LateVisibleDevices(Rule):
    """Set `CUDA_VISIBLE_DEVICES` before anything asks for CUDA.

    The driver reads the variable once, when CUDA is started, and `torch.cuda.is_available()` already starts it. What is
    set later is ignored without a word: the program runs on GPU 0, next to whatever runs there, and not on the one
    that the user chose. A test at the head of a file counts, also of one that is imported before the options are read.

    Left alone are stores before the first use of CUDA (importing torch is no use), those for child processes that
    the function starts, and uses that only some paths make. `torch.cuda.device_count()` does not start CUDA
    since torch 2.0, nor does `torch.device("cuda")`. Safest is to set the variable outside the program.

    The programs of this page are not replayed: whatever runs them has asked the driver before they begin.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#environment-variables
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("CUDA_VISIBLE_DEVICES",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for store, story in file.late_stores("CUDA_VISIBLE_DEVICES"):
            yield self.finding(
                store.place,
                "has no effect once CUDA is started: set it before the first use of CUDA",
                trace=story,
            )
