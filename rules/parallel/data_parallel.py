"""DataParallel where PyTorch recommends DistributedDataParallel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class DataParallel(Rule):
    """Train on several GPUs with DistributedDataParallel, even on one machine.

    `DataParallel` is one Python process: in every step it copies the module to all GPUs, scatters the batch and gathers
    the outputs on the first one, while its threads compete for the interpreter. PyTorch recommends
    `DistributedDataParallel`, with one process for each GPU.

    The rule is off by default: the change takes a launcher, a sampler and tests of the rank, which may not pay off for
    a small program.

    Not reported:

    - `nn.parallel.data_parallel`, the function
    - subclasses of `DataParallel`

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
                f"{quoted(call)} copies the module to all GPUs in every step; use `DistributedDataParallel`",
            )
