"""DataParallel where PyTorch recommends DistributedDataParallel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DataParallel(Rule):
    """Train on several GPUs with DistributedDataParallel, even on one machine.

    `DataParallel` is one Python process: at every step it copies the module to all GPUs, scatters the batch and
    gathers the outputs on the first one, while its threads wait for each other. PyTorch recommends
    `DistributedDataParallel`, one process for each GPU.

    Off by default: the move takes a launcher, a sampler and tests of the rank, which a small program may not be worth.

    https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-nn-ddp-instead
    """

    severity = Severity.INFO
    confidence = Confidence.HIGH
    default = False
    words = ("DataParallel",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        for call in file.calls("torch.nn.DataParallel"):
            yield self.finding(
                call,
                "copies the module to all GPUs at every step: run a process for each, `DistributedDataParallel`",
            )
