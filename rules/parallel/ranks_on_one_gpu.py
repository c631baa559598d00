"""Distributed training whose ranks are all on the first GPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class RanksOnOneGpu(Rule):
    """Give each rank a GPU of its own.

    Every process of `torchrun` sees all GPUs of the machine, and a plain `cuda` is the first of them in each. NCCL
    raises for two ranks on one GPU, `Duplicate GPU detected: rank 1 and rank 0 both on CUDA device`; with another
    backend they share its memory and its time, and the other GPUs are idle. `torch.cuda.set_device(local_rank)`, before
    anything is moved, makes `cuda` the rank's own GPU; `torchrun` sets the index as `LOCAL_RANK`.

    Not reported:

    - modules that are moved to a GPU by the rank
    - programs that set the current device or `CUDA_VISIBLE_DEVICES` for each rank, or whose launcher may do so
    - programs with a single rank
    - process groups of gloo

    https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("DataParallel", "FSDP")
    project_words = ("init_process_group",)

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.shared_gpus import shared_gpus

        for shared in file.share_of(shared_gpus):
            yield self.finding(
                shared.place,
                f"{quoted(shared.place)} gets a model on GPU 0 on every rank; call `torch.cuda.set_device()` first",
                trace=(
                    shared.group.step("the process group is created here"),
                    shared.actual.moved_at.step("moved to GPU 0 here, on every rank"),
                ),
            )
