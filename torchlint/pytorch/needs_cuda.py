"""What raises in PyTorch on a machine without CUDA, whatever its arguments, and which packages are made for CUDA."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class CudaLibrary:
    """A part of another package with kernels for CUDA: a call or decorator by name, or a keyword that requests them."""

    names: str = ""
    """A function or class, or everything in a package if it ends with a dot."""
    keyword: str = ""
    value: bool | str = True
    source: str = ""


CUDA_LIBRARIES = (
    CudaLibrary("triton.jit", source="https://github.com/triton-lang/triton#compatibility"),
    CudaLibrary("flash_attn.", source="https://github.com/Dao-AILab/flash-attention#installation-and-features"),
    CudaLibrary(
        keyword="attn_implementation",
        value="flash_attention_2",
        source="https://huggingface.co/docs/transformers/attention_interface",
    ),
    # Their kernels for the CPU are of 2025, and slow: https://github.com/bitsandbytes-foundation/bitsandbytes/releases
    CudaLibrary(keyword="load_in_8bit", source="https://huggingface.co/docs/transformers/quantization/bitsandbytes"),
    CudaLibrary(keyword="load_in_4bit", source="https://huggingface.co/docs/transformers/quantization/bitsandbytes"),
    CudaLibrary("bitsandbytes.", source="https://huggingface.co/docs/bitsandbytes/installation"),
)
"""A program that uses any of these, whatever the machine has, is written for CUDA."""
