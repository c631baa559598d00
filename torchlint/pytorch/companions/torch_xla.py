"""PyTorch/XLA: what saves."""

from __future__ import annotations

from torchlint.pytorch.kinds import Companion

SAVE = "torch_xla.core.xla_model.save"
"""The function that saves what `torch.save` does, with its arguments, on one process."""

COMPANION = Companion(
    "torch_xla",
    "https://docs.pytorch.org/xla/master/learn/api-guide.html",
)
