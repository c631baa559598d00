"""Transformer Engine: kernels for CUDA."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion(
    "transformer_engine",
    "https://docs.nvidia.com/deeplearning/transformer-engine/user-guide/installation.html",
    needs_gpu=True,
)
