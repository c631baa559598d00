"""What made the host wait for the GPU, how often, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from torchlint.pytorch.waits import Kind
from torchlint.verify.sites import Site, Sites

FIRST_STEPS = 4
_MOST_MOMENTS = 400


@dataclass(frozen=True, slots=True)
class Wait:
    """One reason to wait at one place; `operation` is PyTorch's name for what waited."""

    site: Site
    kind: Kind
    operation: str


@dataclass(frozen=True, slots=True)
class Waited:
    """How often the host waited for one reason at one place, and in which steps: the first has what precedes it.

    `idle` is how often nothing was queued since the wait before, as far as that was seen.
    """

    wait: Wait
    times: int
    steps: frozenset[int]
    idle: int = 0


@dataclass(frozen=True, slots=True)
class Moment:
    """How many operations were queued for the GPU since the moment before, and what then waited; None ends a step."""

    step: int
    work: int
    wait: Wait | None = None


class WaitLog:
    """Counts waits by place and reason, and notes the step, of those that `step` counts; the first steps in order."""

    def __init__(self, sites: Sites | None = None, step: Callable[[], int] = lambda: 0) -> None:
        self.sites = sites or Sites()
        self.waits: Counter[Wait] = Counter()
        self._steps: dict[Wait, set[int]] = {}
        self._step = step
        self._muted = self._formatting = 0
        self._moments: list[Moment] = []
        self._current = 0
        self._work = 0
        self._idle: Counter[Wait] = Counter()
        self._is_idle = self._queues = False

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
            self._note(wait)
            self._idle[wait] += times if self._is_idle else 0
            # Nothing is seen of what a real GPU has queued.
            self._is_idle = self._queues

    def queue(self) -> None:
        """Note that the host queued an operation."""
        if not self._formatting:
            self._queues, self._is_idle = True, False
        if self._current < FIRST_STEPS:
            if self._step() != self._current:
                self._note(None)
            self._work += 1

    def _note(self, wait: Wait | None) -> None:
        """Note a moment, and before it the end of the step that it is no longer in."""
        if self._current >= FIRST_STEPS or len(self._moments) >= _MOST_MOMENTS:
            return
        if (step := self._step()) != self._current:
            self._moments.append(Moment(self._current, self._work))
            self._current, self._work = step, 0
        if wait is not None:
            self._moments.append(Moment(step, self._work, wait))
            self._work = 0

    def moments(self) -> tuple[Moment, ...]:
        """Return the first steps: what was queued, and what waited."""
        rest = (Moment(self._current, self._work),) if self._work else ()
        return tuple(one for one in (*self._moments, *rest) if one.step < FIRST_STEPS)

    def waited(self) -> tuple[Waited, ...]:
        """Return the log."""
        return tuple(
            Waited(wait, times, frozenset(self._steps[wait]), self._idle[wait]) for wait, times in self.waits.items()
        )

    @contextmanager
    def muted(self) -> Iterator[None]:
        """Log nothing: what runs inside waits on the CPU only."""
        self._muted += 1
        try:
            yield
        finally:
            self._muted -= 1

    @contextmanager
    def formatting(self) -> Iterator[None]:
        """Take what is queued meanwhile for a part of the reads: it is small, and no work of the program."""
        self._formatting += 1
        try:
            yield
        finally:
            self._formatting -= 1
