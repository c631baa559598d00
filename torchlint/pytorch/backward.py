"""Methods that run the backward pass."""

from __future__ import annotations

from torchlint.pytorch.companions.lightning import MANUAL_BACKWARD

BACKWARD = ("backward", MANUAL_BACKWARD)
"""A tensor's own, which optimizers and engines have as well, and Lightning's, which calls it."""
