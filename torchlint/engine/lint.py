"""Lint jobs, in this process or in workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.engine.depth import deeply
from torchlint.engine.job import Job
from torchlint.engine.shares import size_of
from torchlint.engine.tracked_report import TrackedReport
from torchlint.report import FileReport

if TYPE_CHECKING:
    from torchlint.engine.linter import Linter

# A worker takes its time to start, and repeats what others have computed about a project.
_LEAST_FILES = 16
_LEAST_BYTES = 400_000


@dataclass(frozen=True, slots=True)
class _Text:
    """A file whose bytes come from elsewhere."""

    path: Path
    shown: str


def lint(jobs: Sequence[Job], workers: int, done: Callable[[FileReport], None]) -> None:
    """Lint every file of every job; reports come in any order, one for each file.

    `workers` is the number of processes, 0 for as many as pay; with 1 everything happens in this process.
    """
    lint_noting(jobs, workers, lambda noted: done(noted.report))


def lint_noting(
    jobs: Sequence[Job],
    workers: int,
    done: Callable[[TrackedReport], None],
    linters: Sequence[Linter | None] = (),
) -> None:
    """Lint as `lint` does, with what each report depends on in the projects.

    `linters` are those of the jobs that exist already: what they know is of use in this process. Raises `UsageError`
    if the rules of a job cannot be chosen.
    """
    for job in jobs:
        # Chosen here, and not in each worker.
        len(job.rules)
    workers = min(workers or _paying(jobs), sum(len(job.targets) for job in jobs))
    if workers > 1:
        from torchlint.engine.pool import lint_with

        lint_with(workers, jobs, done)
    else:
        deeply(partial(_reports, jobs, linters), done)


def lint_text(job: Job, shown: str, data: bytes, done: Callable[[FileReport], None]) -> None:
    """Lint some bytes in place of a file's: that of the job's only target, or else the file named `shown`."""
    target = _Text(job.targets[0].path if job.targets else Path(shown), shown)
    lint_edited(replace(job, targets=(target,)), {target.path: data}, done)


def lint_edited(job: Job, edited: Mapping[Path, bytes], done: Callable[[FileReport], None]) -> None:
    """Lint every file of a job, with other bytes in place of some files', whether they are linted or only read."""
    from torchlint.engine.linter import Linter

    def reports() -> Iterator[FileReport]:
        linter = Linter(job, edited)
        for target in job.targets:
            yield linter.lint(target)

    deeply(reports, done)


def _reports(jobs: Sequence[Job], linters: Sequence[Linter | None]) -> Iterator[TrackedReport]:
    from torchlint.engine.linter import Linter

    for job, known in zip_longest(jobs, linters):
        linter = known or Linter(job)
        for target in job.targets:
            yield linter.noted(target)


def _paying(jobs: Sequence[Job]) -> int:
    """Return how many workers pay for jobs."""
    files = sum(len(job.targets) for job in jobs)
    if files < _LEAST_FILES or sum(size_of(target.path) for job in jobs for target in job.targets) < _LEAST_BYTES:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
