"""What linting one family takes as it grows, and the exponent of that."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from typing import TypeAlias

from benchmarks.growth.counting import Counted, Limits, counted, warm_up
from benchmarks.growth.family import Family, Files, size_of
from benchmarks.growth.program import program, trainer
from torchlint.engine import Job
from torchlint.files.discovery import discover
from torchlint.registry import builtin_rules

# What every program does besides: no family is blamed for it.
STARTUP = program(trainer(), "train('cuda')")


@dataclass(frozen=True, slots=True)
class Measured:
    """One program, and what linting it took."""

    n: int
    words: int
    counted: Counted


@dataclass(frozen=True, slots=True)
class Growth:
    """The programs of a family by size, up to the first that did not end, and the program that only starts up."""

    family: Family
    startup: Measured
    measured: tuple[Measured, ...]

    @property
    def largest(self) -> Measured:
        """Return the largest program that was tried."""
        return self.measured[-1]

    @property
    def most_steps(self) -> int:
        """Return what the program took that took most."""
        return max(one.counted.steps for one in self.measured)

    @property
    def exponent(self) -> float | None:
        """Return by which power of the text the steps grow from the second largest program to the largest."""
        if len(self.measured) < 2 or not self.startup.words < self.measured[-2].words < self.largest.words:
            return None
        return self.exponent_of(*(one.counted.steps - self.startup.counted.steps for one in self.measured[-2:]))

    def exponent_of(self, few: int, many: int) -> float:
        """Return by which power of the text something grows that the second largest program takes, and the largest."""
        smaller, larger = (one.words - self.startup.words for one in self.measured[-2:])
        return log(max(many, 1) / max(few, 1)) / log(larger / smaller)

    @property
    def line(self) -> str:
        """Return what is printed of a family."""
        counted, sizes = self.largest.counted, "-".join(str(one.n) for one in self.measured[-2:])
        exponent = "" if self.exponent is None else f"{'>' if counted.stopped else ''}{self.exponent:.2f}"
        peak = max(one.counted.megabytes for one in self.measured)
        steps = counted.stopped or f"{counted.steps:,} steps"
        return (
            f"{self.family.name:32} n {sizes:>9}  {self.largest.words:>6,} words  {steps:>24}  n^{exponent:6}"
            f"  {counted.seconds:6.2f} s  {peak:5.0f} MB  {counted.findings:4} findings"
        )


Enough: TypeAlias = "Callable[[Growth], bool]"
"""Tells whether larger programs of a family need not be linted."""


class Bench:
    """A folder that programs are written to and linted in, within limits; all that is loaded once is loaded."""

    def __init__(self, root: Path, limits: Limits, *, by_caller: bool = False) -> None:
        self._root = root
        self._limits = limits
        self._by_caller = by_caller
        self._rules = tuple(rule() for rule in builtin_rules().values())
        warm_up(self._job(STARTUP))
        self._startup = self.measured(0, STARTUP)

    def growth(self, family: Family, sizes: Sequence[int], is_enough: Enough | None = None) -> Growth:
        """Lint programs of a family of some sizes, up to the first that does not end, or until that is enough."""
        grown = Growth(family, self._startup, ())
        for n in sorted(set(sizes)):
            grown = replace(grown, measured=(*grown.measured, self.measured(n, family.make(n))))
            if grown.largest.counted.stopped or (is_enough is not None and is_enough(grown)):
                break
        return grown

    def measured(self, n: int, files: Files) -> Measured:
        """Lint a program and count its steps."""
        return Measured(n, size_of(files), counted(self._job(files), self._limits, by_caller=self._by_caller))

    def _job(self, files: Files) -> Job:
        """Write a program in place of the last, and return the job of linting it with every rule there is."""
        shutil.rmtree(self._root, ignore_errors=True)
        for name, text in files.items():
            path = self._root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return Job(self._root, discover([self._root], (), self._root).targets, self._rules)
