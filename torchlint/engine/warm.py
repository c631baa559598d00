"""A linter that stays: it lints files of one project when it is asked to, and keeps what it has learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from torchlint.engine.depth import deeply
from torchlint.engine.job import Job, Target
from torchlint.report import FileReport


class WarmLinter:
    """Lints for one job, one file at a time; `edited` are the bytes of files that an editor has not saved yet.

    What it knows of the project is what was so when it first looked: who changes a file makes another one.
    """

    def __init__(self, job: Job, edited: Mapping[Path, bytes]) -> None:
        from torchlint.engine.linter import Linter

        self._linter = Linter(job, edited)

    def lint(self, target: Target) -> FileReport:
        """Return what there is to say about a file."""

        def report() -> Iterator[FileReport]:
            yield self._linter.lint(target)

        reports: list[FileReport] = []
        deeply(report, reports.append)
        return reports[0]
