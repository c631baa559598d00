"""What raises in PyTorch on a machine without CUDA, whatever its arguments, and which packages are made for CUDA."""

from __future__ import annotations

from torchlint.pytorch.companions import COMPANIONS

# What raises on a machine without CUDA, measured on torch 2.13.0+cpu and 2.11.0+cu130 without a driver; the memory
# counters, `empty_cache`, `manual_seed` and `device_count` do not. An event without a driver raises when recorded. From
# `can_device_access_peer` on, on 2.13.0+cpu alone: each initializes CUDA first thing, whatever the build.
NEEDS_CUDA = frozenset(
    f"torch.cuda.{name}"
    for name in (
        "set_device synchronize current_device get_device_name get_device_properties get_device_capability"
        " current_stream default_stream mem_get_info Stream Event can_device_access_peer cudart current_blas_handle"
        " get_per_process_memory_fraction get_rng_state get_stream_from_external get_sync_debug_mode init initial_seed"
        " ipc_collect set_per_process_memory_fraction set_sync_debug_mode"
    ).split()
)
"""Functions and classes of PyTorch that mean CUDA, whatever their arguments."""
DEVICE_ELSEWHERE: dict[str, int | None] = {
    "torch.cuda.Event": None,
    "torch.cuda.get_stream_from_external": 1,
    "torch.cuda.set_per_process_memory_fraction": 1,
    "torch.cuda.set_sync_debug_mode": None,
}
"""Those of them whose first argument is no device, with the position of the one that is, if any."""

CUDA_LIBRARIES = tuple(row for companion in COMPANIONS for row in companion.cuda)
"""A program that uses any of these, whatever the machine has, is written for CUDA."""
GPU_PACKAGES = ("torch.distributed.fsdp", *(companion.name for companion in COMPANIONS if companion.needs_gpu))
"""Packages that are used on GPUs alone: "FSDP needs a non-CPU accelerator device", says torch 2.13."""
