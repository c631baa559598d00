"""The backends of `torch.distributed` that need a GPU."""

from __future__ import annotations

INIT_PROCESS_GROUP = "torch.distributed.init_process_group"
GPU_BACKENDS = frozenset({"nccl"})
"""Making a process group with one raises a RuntimeError or a ValueError without a GPU; as of torch 2.13.0.

https://github.com/pytorch/pytorch/blob/v2.11.0/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp: "ProcessGroupNCCL is
only supported with GPUs, no GPUs found!"
"""
