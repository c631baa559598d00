"""A GPU beyond those that the program makes visible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DeviceIndexOutOfRange(Rule):
    """Count GPUs from 0 among those that `CUDA_VISIBLE_DEVICES` leaves.

    The variable hides GPUs and numbers the rest anew: after `CUDA_VISIBLE_DEVICES=2,3` there are `cuda:0` and
    `cuda:1`, and asking for `cuda:2` raises `CUDA error: invalid device ordinal`, however many GPUs the machine has.

    Left alone are values that come from outside the program or are only a default (`setdefault`), stores that a test
    decides on or that come too late to have an effect, indices behind a test of `torch.cuda.device_count()`, and files
    that are not imported by the one that sets the variable.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("cuda", ".to(", "DataParallel")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        if not file.project.library.holding("CUDA_VISIBLE_DEVICES"):
            return
        for absent in file.absent_devices():
            gpus = "one GPU, `cuda:0`" if absent.count == 1 else f"{absent.count} GPUs, from `cuda:0` on"
            yield self.finding(
                absent.place,
                f"raises `invalid device ordinal`: `CUDA_VISIBLE_DEVICES` leaves {gpus}",
                trace=(absent.store.place.step("set here"),),
            )
