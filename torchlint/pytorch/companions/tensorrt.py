"""TensorRT: kernels for CUDA."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion(
    "tensorrt",
    "https://docs.nvidia.com/deeplearning/tensorrt/latest/getting-started/support-matrix.html",
    needs_gpu=True,
)
