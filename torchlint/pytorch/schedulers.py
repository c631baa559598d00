"""Schedulers that raise once they are stepped too often. Checked on torch 2.13."""

from __future__ import annotations

from typing import NamedTuple


class EndingScheduler(NamedTuple):
    """A scheduler for a number of steps, and where its constructor is passed that: as one number, or as two factors."""

    name: str
    total: tuple[str, int]
    factors: tuple[tuple[str, int], tuple[str, int]]


ONE_CYCLE = EndingScheduler(
    "torch.optim.lr_scheduler.OneCycleLR", ("total_steps", 2), (("epochs", 3), ("steps_per_epoch", 4))
)
"""`total_steps` comes first, where it is passed. Later steps raise `Tried to step 41 times`."""
SIZED = frozenset(f"torch.{name}" for name in ("rand", "randn", "zeros", "ones", "empty"))
"""Functions whose first argument is the length of the tensor that they make, or its whole size."""
