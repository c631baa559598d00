"""Divide work by size: large shares first, so that all workers end at about the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from torchlint.engine.job import Job

_LEAST_BYTES = 64_000
_SHARES_EACH = 8


@dataclass(frozen=True, slots=True)
class Share:
    """Some files of one job, both by their positions."""

    job: int
    targets: tuple[int, ...]


def shares(jobs: Sequence[Job], workers: int) -> Iterator[Share]:
    """Yield all work in shares of falling size; jobs follow each other, as each is a project."""
    sizes = [[size_of(target.path) for target in job.targets] for job in jobs]
    left = sum(map(sum, sizes))
    for number, job in enumerate(sizes):
        members: list[int] = []
        size = 0
        for target in sorted(range(len(job)), key=lambda target: -job[target]):
            members.append(target)
            size += job[target]
            if size >= max(_LEAST_BYTES, left / (workers * _SHARES_EACH)):
                yield Share(number, tuple(members))
                left, size = left - size, 0
                members = []
        if members:
            yield Share(number, tuple(members))
            left -= size


def size_of(path: Path) -> int:
    """Return the size of a file in bytes, 0 if it is unknown."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
