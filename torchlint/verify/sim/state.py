"""The one simulation that is running; patches of PyTorch are global, and so is this."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchlint.pytorch.waits import Kind
from torchlint.verify.waitlog import WaitLog

if TYPE_CHECKING:
    from torchlint.verify.sim.machine import Machine
    from torchlint.verify.sim.races import RaceDetector
    from torchlint.verify.sim.streams import Stream


@dataclass
class Simulation:
    """The state of the simulation, and what was observed so far."""

    machine: Machine
    log: WaitLog
    detector: RaceDetector | None = None
    working_on: int | None = None
    """The GPU of the call into PyTorch that is running, for the tensors that it makes inside."""
    communicates_on_gpus: bool = False
    """Whether the process group is one of NCCL."""
    streams: dict[int, Stream] = field(default_factory=dict)
    seconds: float = 0.0
    """The time of the simulation itself, a lower bound."""

    def wait(self, kind: Kind, operation: str, times: int = 1) -> None:
        """Log that a real GPU would make the host wait here."""
        self.log.add(kind, operation, sys._getframe(1), times)


_running: list[Simulation] = []


def running() -> Simulation:
    """Return the simulation that is running."""
    return _running[-1]


def is_running() -> bool:
    """Tell whether a simulation is running."""
    return bool(_running)


@contextmanager
def started(simulation: Simulation) -> Iterator[None]:
    """Make a simulation the running one; there is never a second."""
    if _running:
        raise RuntimeError("a simulation is running already")
    _running.append(simulation)
    try:
        yield
    finally:
        _running.clear()
