"""Triton: kernels for GPUs."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, CudaLibrary

COMPANION = Companion(
    "triton",
    "https://github.com/triton-lang/triton#compatibility",
    cuda=(CudaLibrary("triton.jit", source="https://github.com/triton-lang/triton#compatibility"),),
)
