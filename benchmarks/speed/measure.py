"""Run programs in turn and compare what they take: each round has its own ratio, and the median of these counts."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True, slots=True)
class Taken:
    """What a process took: seconds on the clock, seconds of all its cores together, and megabytes at its peak."""

    wall: float
    cpu: float
    peak: float

    def of(self, what: str) -> float:
        """Return one of the three by its name."""
        return {"wall": self.wall, "cpu": self.cpu, "peak": self.peak}[what]


@dataclass(frozen=True, slots=True)
class Program:
    """A command, what it runs in, and what is done before each time, which is not measured."""

    command: Sequence[str]
    cwd: Path
    before: Callable[[], object] = lambda: None
    environment: Mapping[str, str] | None = None


def taken(program: Program) -> Taken:
    """Run a program once."""
    program.before()
    environment = {**os.environ, **(program.environment or {})}
    started = time.perf_counter()
    with subprocess.Popen(
        program.command, cwd=program.cwd, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    # Linux counts the peak in kilobytes.
    return Taken(time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)


def in_turn(programs: Mapping[str, Program], rounds: int) -> dict[str, list[Taken]]:
    """Run programs one after the other, round by round, so that what slows the machine slows them all."""
    found: dict[str, list[Taken]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            found[name].append(taken(program))
    return found


def ratio(found: Mapping[str, Sequence[Taken]], one: str, other: str, what: str = "cpu") -> float:
    """Return how much more one takes than another, round by round."""
    pairs = zip(found[one], found[other], strict=True)
    return median(mine.of(what) / yours.of(what) for mine, yours in pairs)


def middle(found: Sequence[Taken], what: str = "wall") -> float:
    """Return what a program takes."""
    return median(one.of(what) for one in found)
