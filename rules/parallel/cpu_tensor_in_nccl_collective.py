"""A collective of NCCL with a tensor on the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import torchlint
from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile


class CpuTensorInNcclCollective(Rule):
    """Pass tensors on the GPU to collectives of NCCL.

    NCCL communicates between GPUs only. In a process group that `init_process_group("nccl")` created, `all_reduce`,
    `broadcast` and the other functions raise `No backend type associated with device type cpu`, or before PyTorch 2.0
    `Tensors must be CUDA and dense`, for a tensor such as `torch.tensor(total)`, which is created on the CPU. Create it
    on the GPU of the rank, `device=device`. A group of `cpu:gloo,cuda:nccl`, which is the default where no backend is
    passed, takes both.

    Not reported:

    - calls with a `group=` of their own
    - programs that may create a group with another backend
    - `all_gather_object` and others that send any objects

    https://docs.pytorch.org/docs/stable/distributed.html#backends
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("distributed",)
    project_words = ("nccl", "NCCL")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.host_collectives import host_collectives

        for found in host_collectives(file.evaluator(torchlint.WITH_CUDA), file):
            yield self.finding(
                found.call,
                f"{quoted(found.call)} raises: NCCL takes no tensor on the CPU; move {quoted(found.tensor)} to the GPU",
                trace=tuple(found.story),
            )
