"""The projects of open files: each has one linter, as long as nothing in it changes."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from torchlint.engine import Job, WarmLinter, forget_roots
from torchlint.finding import Finding
from torchlint.output.cells import with_cells
from torchlint.output.grouping import grouped
from torchlint.report import FileReport
from torchlint.server.document import Document
from torchlint.server.documents import Documents
from torchlint.server.plan import Planned, Planner

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
    reports: dict[Path, FileReport] = field(default_factory=dict[Path, FileReport])


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

    def tidy(self) -> None:
        """Free dropped linters: a project is one reference cycle, which takes a while to collect."""
        if self._is_littered:
            self._is_littered = False
            gc.collect()

    def checked(self, document: Document, documents: Documents) -> Checked | None:
        """Return the report of a file, or None if it is excluded."""
        planned = self._planner(document.path)
        if planned is None:
            return None
        room = self._room(planned.job, documents.around(planned.job.root))
        if document.path not in room.reports:
            room.reports[document.path] = room.linter.lint(planned.target)
        return Checked(document, planned, planned.counted(room.reports[document.path]))

    def _room(self, job: Job, edited: Mapping[Path, bytes]) -> _Room:
        """Return the linter of a project: the existing one, unless something has changed."""
        sign = _sign(job)
        known, room = self._rooms.get(job.root, (None, None))
        if room is None or known != sign or room.edited != edited:
            room = _Room(WarmLinter(replace(job, named=frozenset(edited)), edited), edited)
            self._is_littered = self._is_littered or job.root in self._rooms
            self._rooms[job.root] = (sign, room)
        return room


def _sign(job: Job) -> _Sign:
    """Return all that two jobs must have in common to share a linter; rules are made again with every plan."""
    rules = tuple((rule.name, tuple(sorted(rule.options.items()))) for rule in job.rules)
    return replace(job, targets=(), rules=(), named=frozenset()), rules
