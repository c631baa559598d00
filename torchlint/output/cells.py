"""Convert positions in the program of a notebook to what can be shown: positions in its file, and in its cells.

Programs that read findings open the file, so that positions are those of the JSON, exactly; `cell` has what the reader
of the notebook sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.finding import Cause, CellEdit, Edit, Finding, Fix, Span, Step
from torchlint.report import FileReport

if TYPE_CHECKING:
    from torchlint.notebook.layout import Notebook


def in_files(reports: Iterable[FileReport]) -> Iterator[FileReport]:
    """Yield reports whose positions and lines are those of their files."""
    return (_in_file(report) if report.notebooks else report for report in reports)


def with_cells(report: FileReport) -> FileReport:
    """Return a report whose findings say which cell they are in, and stay where they are in the program."""
    if (notebook := report.notebooks.get(report.path)) is None:
        return report
    return replace(report, findings=tuple(replace(one, cell=notebook.in_cell(one.span)) for one in report.findings))


def seen(one: Finding | Step) -> Span:
    """Return the position of something for the reader: in the lines of its cell if it is in a notebook."""
    return one.cell.span if one.cell else one.span


def cell_lines(notebooks: Mapping[str, Notebook], path: str, cell: int) -> Sequence[str]:
    """Return the lines of a cell, none if it is unknown."""
    return notebooks[path].cell(cell).lines if path in notebooks else ()


def edits_by_cell(edits: Iterable[CellEdit]) -> dict[int, list[Edit]]:
    """Return the edits of each cell, in the order of the cells."""
    found: dict[int, list[Edit]] = {}
    for one in sorted(edits, key=lambda one: one.cell):
        found.setdefault(one.cell, []).append(one.edit)
    return found


def _in_file(report: FileReport) -> FileReport:
    notebook = report.notebooks.get(report.path)
    findings = tuple(_finding(finding, report.notebooks) for finding in report.findings)
    return replace(report, findings=findings, lines=notebook.file_lines() if notebook else report.lines)


def _finding(finding: Finding, notebooks: Mapping[str, Notebook]) -> Finding:
    trace, cause = tuple(_step(step, notebooks) for step in finding.trace), _cause(finding.cause, notebooks)
    if (notebook := notebooks.get(finding.path)) is None:
        return replace(finding, trace=trace, cause=cause)
    span, cell = notebook.in_file(finding.span), notebook.in_cell(finding.span)
    fix = finding.fix and _fix(finding.fix, notebook)
    return replace(finding, span=span, cell=cell, trace=trace, fix=fix, cause=cause)


def _cause(cause: Cause | None, notebooks: Mapping[str, Notebook]) -> Cause | None:
    if cause is None or cause.span is None or (notebook := notebooks.get(cause.path)) is None:
        return cause
    return replace(cause, span=notebook.in_file(cause.span))


def _step(step: Step, notebooks: Mapping[str, Notebook]) -> Step:
    if (notebook := notebooks.get(step.path)) is None:
        return step
    return replace(step, span=notebook.in_file(step.span), cell=notebook.in_cell(step.span))


def _fix(fix: Fix, notebook: Notebook) -> Fix | None:
    """Return a fix of the file, None if it would span several cells."""
    from torchlint.notebook.edits import SeveralCellsError, cell_edit, file_edit

    try:
        edits = tuple(file_edit(notebook, edit) for edit in fix.edits)
        return replace(fix, edits=edits, cells=tuple(cell_edit(notebook, edit) for edit in fix.edits))
    except SeveralCellsError:
        return None
