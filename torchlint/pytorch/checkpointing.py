"""Activation checkpointing. Checked on torch 2.13."""

from __future__ import annotations

CHECKPOINT = "torch.utils.checkpoint.checkpoint"
CHECKPOINT_SEQUENTIAL = "torch.utils.checkpoint.checkpoint_sequential"
REENTRANT = "use_reentrant"
REENTRANT_SINCE = {CHECKPOINT: (1, 11), CHECKPOINT_SEQUENTIAL: (2, 1)}
"""The torch from which on each accepts the choice of its implementation; both warn where it is not made."""
PASSED_ON_AT = 3
"""How many arguments of `checkpoint_sequential` come before the choice; a star passes nothing else."""
