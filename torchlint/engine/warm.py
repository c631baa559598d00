"""A linter that stays: it lints files of one project on request, and keeps what it has computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from torchlint.engine.depth import deeply
from torchlint.engine.job import Job, Target, location
from torchlint.engine.tracked_report import TrackedReport
from torchlint.report import FileReport


class WarmLinter:
    """Lints for one job, one file at a time; `edited` are the bytes of files that an editor has not saved yet.

    After an edit, the answers that depend on nothing that changed are used again, and so are the reports. It knows of
    no other change of the project: after one, another linter is made.
    """

    def __init__(self, job: Job, edited: Mapping[Path, bytes]) -> None:
        from torchlint.engine.edited_linter import EditedLinter

        self._linter = EditedLinter(job, edited)
        self._reports: dict[str, TrackedReport] = {}

    def edit(self, path: Path, data: bytes) -> bool:
        """Take other bytes for a file; tell whether that is possible, for otherwise another linter must be made."""
        if (gone := self._linter.edit(path, data)) is None:
            return False
        self._reports.pop(location(path), None)
        self._reports = {one: known for one, known in self._reports.items() if _is_valid(known, gone)}
        return True

    def tidy(self) -> None:
        """Let go of what is of no use since the last edits."""
        self._linter.tidy()

    def stop(self) -> None:
        """Stop what is linted now, in whichever thread: that raises `StoppedError`."""
        self._linter.stop()

    def lint(self, target: Target) -> FileReport:
        """Return the report of a file; raises `StoppedError` if that was stopped."""
        if (known := self._reports.get(location(target.path))) is not None:
            return known.report

        self._linter.named.add(target.path)
        self._linter.resume()

        def report() -> Iterator[TrackedReport]:
            yield self._linter.noted(target)

        deeply(report, lambda noted: self._reports.update({location(target.path): noted}))
        return self._reports[location(target.path)].report


def _is_valid(known: TrackedReport, gone: int) -> bool:
    """Tell whether a report depends on nothing that is gone; one that was not completed may be so by chance."""
    return not (known.rests_on & gone or known.report.errors or known.report.incomplete)
