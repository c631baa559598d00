"""The projects of open files: each has one linter, as long as nothing in it changes."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from torchlint.engine import Job, WarmLinter, forget_roots
from torchlint.files.regular import read_regular
from torchlint.finding import Finding
from torchlint.output.cells import with_cells
from torchlint.output.grouping import grouped
from torchlint.report import FileReport
from torchlint.server.document import Document
from torchlint.server.documents import Documents
from torchlint.server.plan import Planned, Planner

# Every edit leaves the old tree of a file behind; to find all that refers to it takes a second in a large project.
_MOST_EDITS = 50

_Options: TypeAlias = "tuple[tuple[str, object], ...]"
_Sign: TypeAlias = "tuple[Job, tuple[tuple[str, _Options], ...]]"


@dataclass(frozen=True, slots=True)
class Checked:
    """A file in the editor, and what there is to say about it: `report` of each place, `shown` as it is shown."""

    document: Document
    planned: Planned
    report: FileReport

    @property
    def shown(self) -> tuple[Finding, ...]:
        """Return the findings, those of one cause as one; what has it in other files is shown in those."""
        if not self.planned.groups:
            return self.report.findings
        (report,) = grouped([with_cells(self.report)])
        return report.findings


@dataclass(slots=True)
class _Room:
    """A linter of one project, with the editor's contents of its files, and its reports."""

    linter: WarmLinter
    edited: Mapping[Path, bytes]
    edits: int = 0

    def edit(self, edited: Mapping[Path, bytes]) -> bool:
        """Take the editor's contents as they are now; tell whether the linter can, for otherwise it is of no use."""
        for path in dict.fromkeys((*self.edited, *edited)):
            if (data := edited.get(path)) == self.edited.get(path):
                continue
            if (now := _on_disk(path) if data is None else data) is None or not self.linter.edit(path, now):
                return False
            self.edits += 1
        self.edited = edited
        return True


class Projects:
    """Lints open files, with the others of their projects as the editor has them or as they are on disk."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._rooms: dict[Path, tuple[_Sign, _Room]] = {}
        self._is_littered = False

    def forget(self) -> None:
        """Drop all linters: a file has changed on disk."""
        self._rooms.clear()
        self._is_littered = True
        forget_roots()

    def stop(self) -> None:
        """Stop what is linted now: something newer is to be linted first."""
        for _, room in list(self._rooms.values()):
            room.linter.stop()

    def tidy(self) -> None:
        """Free dropped linters and trees: they are reference cycles, which take a while to collect."""
        for _, room in self._rooms.values():
            if room.edits >= _MOST_EDITS:
                room.edits = 0
                room.linter.tidy()
        if self._is_littered:
            self._is_littered = False
            gc.collect()

    def checked(self, document: Document, documents: Documents) -> Checked | None:
        """Return the report of a file, or None if it is excluded."""
        planned = self._planner(document.path)
        if planned is None:
            return None
        room = self._room(planned.job, documents.around(planned.job.root))
        return Checked(document, planned, planned.counted(room.linter.lint(planned.target)))

    def _room(self, job: Job, edited: Mapping[Path, bytes]) -> _Room:
        """Return the linter of a project: the existing one, unless more has changed than what is written in files."""
        sign = _sign(job)
        known, room = self._rooms.get(job.root, (None, None))
        if room is None or known != sign or not room.edit(edited):
            room = _Room(WarmLinter(job, edited), edited)
            self._is_littered = self._is_littered or job.root in self._rooms
            self._rooms[job.root] = (sign, room)
        return room


def _on_disk(path: Path) -> bytes | None:
    try:
        return read_regular(path)
    except OSError:
        return None


def _sign(job: Job) -> _Sign:
    """Return all that two jobs must have in common to share a linter; rules are made again with every plan."""
    rules = tuple((rule.name, tuple(sorted(rule.options.items()))) for rule in job.rules)
    return replace(job, targets=(), rules=(), named=frozenset()), rules
