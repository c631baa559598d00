"""What sets the current GPU in PyTorch, the one that a bare `cuda` means."""

from __future__ import annotations

CURRENT_FROM_HERE = frozenset({"torch.cuda.set_device", "torch.accelerator.set_device_index"})
"""Functions that set it for what runs afterwards; the accelerator's exists since torch 2.6."""
CURRENT_FOR_BLOCK = frozenset({
    "torch.cuda.device", "torch.cuda.device_of", "torch.cuda.stream", "torch.accelerator.device_index",
})  # fmt: skip
"""Contexts that set it for a block; a stream sets the GPU that it is on."""
FIRST_GPU = 0
"""The one that is current by default."""
