"""What the companions of PyTorch are, a module each; here stands what several of them have."""

from __future__ import annotations

from torchlint.pytorch.companions import accelerate, deepspeed, fabric

TAKEOVERS = (accelerate.TAKEOVER, deepspeed.TAKEOVER, fabric.TAKEOVER)
"""Who takes a module over, and has a `backward()` of its own for the losses of it."""
