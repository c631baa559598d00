"""A GPU beyond those that the program makes visible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeviceIndexOutOfRange(Rule):
    """Count GPUs from 0 among those that `CUDA_VISIBLE_DEVICES` leaves.

    The variable hides GPUs and renumbers the rest: after `CUDA_VISIBLE_DEVICES=2,3` there are `cuda:0` and `cuda:1`,
    and using `cuda:2` raises `CUDA error: invalid device ordinal`, no matter how many GPUs the machine has.

    Not reported:

    - values from outside the program or that are only a default (`setdefault`)
    - assignments behind a test, or too late to have an effect
    - indices behind a test of `torch.cuda.device_count()`
    - files that the one that sets the variable does not import

    https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("cuda", ".to(", "DataParallel")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        if not file.project.library.holding("CUDA_VISIBLE_DEVICES"):
            return
        for absent in file.absent_devices():
            gpus, cure = f"{absent.count} GPUs", f"use an index below {absent.count}"
            if absent.count == 1:
                gpus, cure = "one GPU", "use `cuda:0`"
            index = "device " if absent.place.code.isdecimal() else ""
            yield self.finding(
                absent.place,
                f"{index}{quoted(absent.place)} raises `invalid device ordinal`, as `CUDA_VISIBLE_DEVICES` leaves "
                f"{gpus}; {cure}",
                trace=(absent.store.place.step("set here"),),
            )
