"""Lint jobs, and take from the cache what is still valid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from torchlint.cache.folder import Folder
from torchlint.cache.job_cache import JobCache
from torchlint.engine import Job, TrackedReport, lint_noting
from torchlint.report import FileReport


def lint_cached(
    jobs: Sequence[tuple[Job, Folder]],
    workers: int,
    done: Callable[[FileReport], None],
    phase: Callable[[str], AbstractContextManager[None]] = lambda _: nullcontext(),
) -> list[TrackedReport]:
    """Lint every file of every job, and return the tracked reports of those that needed it.

    Each job's cache is in its folder; each part of the work is done inside the phase of its name. The reports are those
    that linting everything would give; raises `UsageError` if the rules of a job with files left cannot be chosen.
    """
    with phase("look up what is known"):
        keepings = [JobCache(job, folder) for job, folder in jobs]
        for report in (report for keeping in keepings for report in keeping.standing()):
            done(report)
    keeping_of = {target.shown: keeping for keeping in keepings for target in keeping.left.targets}
    learned: list[TrackedReport] = []

    def take(noted: TrackedReport) -> None:
        learned.append(noted)
        keeping_of[noted.report.path].learn(noted)
        done(noted.report)

    left = [keeping.left for keeping in keepings if keeping.left.targets]
    if left:
        with phase("lint"):
            linters = [keeping.linter for keeping in keepings if keeping.left.targets]
            lint_noting(left, workers, take, linters)
    with phase("keep what was learned"):
        for keeping in keepings:
            keeping.keep()
    return learned
