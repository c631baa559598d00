"""safetensors: what saves tensors."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

SAVE_FILE = "safetensors.torch.save_file"
"""The function that saves a dict of tensors."""

COMPANION = Companion(
    "safetensors",
    "safetensors 0.8.0",
)
