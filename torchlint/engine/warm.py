"""A linter that stays: it lints files of one project on request, and keeps what it has computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from torchlint.engine.depth import deeply
from torchlint.engine.job import Job, Target
from torchlint.report import FileReport


class WarmLinter:
    """Lints for one job, one file at a time; `edited` are the bytes of files that an editor has not saved yet.

    Its model is of the project at the first request: after a change of a file, another one is made.
    """

    def __init__(self, job: Job, edited: Mapping[Path, bytes]) -> None:
        from torchlint.engine.linter import Linter

        self._linter = Linter(job, edited)

    def lint(self, target: Target) -> FileReport:
        """Return the report of a file."""

        def report() -> Iterator[FileReport]:
            yield self._linter.lint(target)

        reports: list[FileReport] = []
        deeply(report, reports.append)
        return reports[0]
