"""FlashAttention: kernels for CUDA."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion, CudaLibrary

COMPANION = Companion(
    "flash_attn",
    "https://github.com/Dao-AILab/flash-attention#installation-and-features",
    cuda=(CudaLibrary("flash_attn.", source="https://github.com/Dao-AILab/flash-attention#installation-and-features"),),
)
