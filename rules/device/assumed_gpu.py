"""A second GPU that a program assumes to exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class AssumedGpu(Rule):
    """Check the number of GPUs before you use another than the first.

    `torch.cuda.is_available()` is true on a machine with one GPU, which is `cuda:0`. A tensor that is created on
    `cuda:1` or moved there raises `CUDA error: invalid device ordinal` on such a machine. Check
    `torch.cuda.device_count() > 1` first.

    Not reported:

    - devices behind a test that fails with one GPU, or in a `try` that continues
    - indices that the user chooses
    - projects that set `CUDA_VISIBLE_DEVICES`
    - devices that a machine without CUDA reaches, too: `hardcoded-cuda` reports those

    https://docs.pytorch.org/docs/stable/generated/torch.cuda.device_count.html
    """

    severity = Severity.WARNING
    confidence = Confidence.HIGH
    words = ("cuda:",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.second_gpus import assumed_gpus
        from .detectors.used_there import used_there

        for assumed in assumed_gpus(file.evaluator(torchlint.WITH_ONE_GPU), file):
            yield self.finding(
                assumed.place,
                f"{quoted(assumed.place)} raises on a machine with one GPU; "
                f"check `torch.cuda.device_count() > {assumed.index}` first",
                trace=(used_there(assumed.used),),
            )
