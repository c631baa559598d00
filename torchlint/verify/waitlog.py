"""What made the host wait for the GPU, how often, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from torchlint.pytorch.waits import Kind
from torchlint.verify.sites import Site, Sites


@dataclass(frozen=True, slots=True)
class Wait:
    """One reason to wait at one place; `operation` is PyTorch's name for what waited."""

    site: Site
    kind: Kind
    operation: str


@dataclass(frozen=True, slots=True)
class Waited:
    """How often the host waited for one reason at one place, and in which steps: the first has what precedes it."""

    wait: Wait
    times: int
    steps: frozenset[int]


class WaitLog:
    """Counts waits by place and reason, and notes the step, of those that `step` counts."""

    def __init__(self, sites: Sites | None = None, step: Callable[[], int] = lambda: 0) -> None:
        self.sites = sites or Sites()
        self.waits: Counter[Wait] = Counter()
        self._steps: dict[Wait, set[int]] = {}
        self._step = step
        self._muted = 0

    @property
    def total(self) -> int:
        """Return how often the host waited."""
        return self.waits.total()

    def add(self, kind: Kind, operation: str, frame: FrameType | None, times: int = 1) -> None:
        """Log that the host waited in a frame."""
        if times and not self._muted:
            wait = Wait(self.sites.of(frame), kind, operation)
            self.waits[wait] += times
            self._steps.setdefault(wait, set()).add(self._step())

    def waited(self) -> tuple[Waited, ...]:
        """Return the log."""
        return tuple(Waited(wait, times, frozenset(self._steps[wait])) for wait, times in self.waits.items())

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Log nothing: what runs inside waits on the CPU only."""
        self._muted += 1
        try:
            yield
        finally:
            self._muted -= 1
