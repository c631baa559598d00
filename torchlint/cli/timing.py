"""`--timing`: the time of a run, by phase and by rule."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from torchlint.engine import READING, TrackedReport


class Timing:
    """The seconds of each phase, and within linting those of each rule, summed over all workers."""

    def __init__(self) -> None:
        self._phases: dict[str, float] = {}
        self._parts: dict[str, float] = {}
        self._linted = 0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure the time of a phase."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._phases[name] = self._phases.get(name, 0.0) + time.perf_counter() - started

    def add(self, noted: Iterable[TrackedReport]) -> None:
        """Add the time of files, each in its own process."""
        for one in noted:
            self._linted += 1
            for name, seconds in one.seconds.items():
                self._parts[name] = self._parts.get(name, 0.0) + seconds

    def told(self, files: int) -> Iterator[str]:
        """Yield the lines of the table, the longest time first."""
        yield f"{files} files, {files - self._linted} of them from the cache"
        for name, seconds in self._phases.items():
            yield f"{seconds:8.3f} s  {name}"
        if self._parts:
            yield "of linting, all processes together (who asks first pays for answers that others use):"
        for name, seconds in sorted(self._parts.items(), key=lambda part: -part[1]):
            yield f"{seconds:8.3f} s  {'read and parse' if name == READING else name}"
