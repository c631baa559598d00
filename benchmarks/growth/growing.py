"""What linting one family takes as it grows, and the exponent of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import TypeAlias

from benchmarks.growth.counting import Counted, counted
from benchmarks.growth.family import Family, Files, size_of


@dataclass(frozen=True, slots=True)
class Measured:
    """One program of a family, and what linting it took."""

    n: int
    words: int
    counted: Counted


Measure: TypeAlias = Callable[[int, Files], Measured]


@dataclass(frozen=True, slots=True)
class Growth:
    """The programs of a family by size, and one of no family, that shows what each takes whatever its size."""

    family: str
    kind: str
    startup: Measured
    measured: tuple[Measured, ...]

    @property
    def largest(self) -> Measured:
        """Return the largest program that was tried; where it did not end, none larger was."""
        return self.measured[-1]

    @property
    def exponent(self) -> float | None:
        """Return by which power of the text the steps grow from the second largest program to the largest."""
        if len(self.measured) < 2:
            return None
        few, many = (
            (one.counted.steps - self.startup.counted.steps, one.words - self.startup.words)
            for one in self.measured[-2:]
        )
        return log(max(many[0], 1) / max(few[0], 1)) / log(many[1] / few[1])

    @property
    def line(self) -> str:
        """Return what is printed of a family."""
        counted, sizes = self.largest.counted, "-".join(str(one.n) for one in self.measured[-2:])
        stopped = bool(counted.stopped)
        exponent = "" if self.exponent is None else f"{'>' if stopped else ''}{self.exponent:.2f}"
        steps = counted.stopped or f"{counted.steps:,}"
        failed = "".join(f"  {message}" for message in counted.failed[:1])
        return (
            f"{self.family:32} n {sizes:>9}  {self.largest.words:>6,} words  {steps:>20}  ^{exponent:>6}"
            f"  {counted.seconds:6.2f} s  {counted.megabytes:5.0f} MB  {counted.findings:4} findings{failed}"
        )


def measured(n: int, files: Files, root: Path, most_steps: int, most_seconds: float) -> Measured:
    """Lint a program and count its steps."""
    return Measured(n, size_of(files), counted(files, root, most_steps, most_seconds))


def growth(family: Family, sizes: Sequence[int], startup: Measured, measure: Measure) -> Growth:
    """Lint programs of a family of some sizes, up to the first that does not end."""
    found: list[Measured] = []
    for n in sorted(set(sizes)):
        found.append(measure(n, family.make(n)))
        if found[-1].counted.stopped:
            break
    return Growth(family.name, family.kind, startup, tuple(found))
