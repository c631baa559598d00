"""einops: its layers are modules."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

COMPANION = Companion(
    "einops",
    "einops 0.8.2",
    module_spaces=("einops.layers.torch.",),
)
