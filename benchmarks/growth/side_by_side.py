"""Measure families side by side, on as many processors as there are.

What a family takes depends on the folder that it lies in, by the hashes of paths: each has one of a few folders for its
own, whichever process measures it, so that its steps are the same on every machine.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeAlias, cast

from benchmarks.growth.counting import Limits
from benchmarks.growth.family import Family
from benchmarks.growth.growing import Bench, Enough, Growth

_FOLDERS = 4

Asked: TypeAlias = "tuple[Family, Sequence[int]]"
"""A family, and the sizes of its programs."""


def measured(
    asked: Sequence[Asked], root: Path, limits: Limits, *, by_caller: bool = False, is_enough: Enough | None = None
) -> Iterator[Growth]:
    """Yield what linting families takes, in the order in which they are asked for."""
    context = multiprocessing.get_context("fork")
    answers: list[Connection] = []
    for own in _shares(min(_FOLDERS, os.cpu_count() or 1)):
        ours, theirs = context.Pipe(duplex=False)
        work = [(family.name, sizes, number % _FOLDERS) for number, (family, sizes) in enumerate(asked)]
        mine = [one for one in work if one[2] in own]
        context.Process(target=_answer, args=(mine, root, limits, by_caller, is_enough, theirs), daemon=False).start()
        theirs.close()
        answers.append(ours)
    for number in range(len(asked)):
        yield cast("Growth", answers[number % _FOLDERS % len(answers)].recv())


def _shares(processes: int) -> list[range]:
    """Return the numbers of the folders that each process has."""
    return [range(first, _FOLDERS, processes) for first in range(processes)]


def _answer(
    work: Sequence[tuple[str, Sequence[int], int]],
    root: Path,
    limits: Limits,
    by_caller: bool,
    is_enough: Enough | None,
    answer: Connection,
) -> None:
    """Measure some families one after the other, and answer with each."""
    from benchmarks.growth.families import FAMILIES

    benches: dict[int, Bench] = {}
    for name, sizes, folder in work:
        if folder not in benches:
            benches[folder] = Bench(root / f"program{folder}", limits, by_caller=by_caller)
        answer.send(benches[folder].growth(FAMILIES[name], sizes, is_enough))
