"""Verify the rules: replay their claims, on simulated GPUs or on real ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.verify.sim import Simulation

__all__ = ["simulated_cuda"]


def simulated_cuda(gpus: int = 1, *, races: bool = False) -> AbstractContextManager[Simulation]:
    """Simulate GPUs on this machine within the context."""
    from torchlint.verify.private import simulator

    pretend: Callable[..., AbstractContextManager[Simulation]] = simulator().simulated_cuda
    return pretend(gpus, races=races)
