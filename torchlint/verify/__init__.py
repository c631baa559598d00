"""Show that the rules are right: replay what they claim, on pretend GPUs or on real ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.verify.sim import Simulation

__all__ = ["simulated_cuda"]


def simulated_cuda(gpus: int = 1, *, races: bool = False) -> AbstractContextManager[Simulation]:
    """Pretend that this machine has GPUs, as long as the context lasts."""
    from torchlint.verify.private import simulator

    pretend: Callable[..., AbstractContextManager[Simulation]] = simulator().simulated_cuda
    return pretend(gpus, races=races)
