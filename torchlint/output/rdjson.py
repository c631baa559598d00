"""The formats `rdjson` and `rdjsonl`: findings in reviewdog's Diagnostic Format, in one object or in one for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from torchlint.finding import Edit, Finding, Severity, Span, Step
from torchlint.output.jsontext import as_json
from torchlint.output.place import told_beside
from torchlint.output.quotation import Quotations
from torchlint.output.records import Record
from torchlint.output.rule_links import on_site
from torchlint.output.settings import OutputSettings
from torchlint.report import FileReport
from torchlint.terminal.text import encodable, printable

_GRADES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.INFO: "INFO"}


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the object piece by piece."""
    diagnostics, before = _Diagnostics(out), "\n"
    yield '{"source": {"name": "torchlint"}, "diagnostics": ['
    for report in reports:
        for finding in report.findings:
            yield before + as_json(diagnostics.of(finding, report.lines))
            before = ",\n"
    yield "\n]}\n"


def render_lines(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield the findings of each file as it is done."""
    diagnostics = _Diagnostics(out)
    for report in reports:
        for finding in report.findings:
            record = {"source": {"name": "torchlint"}, **diagnostics.of(finding, report.lines)}
            yield f"{as_json(record)}\n"


class _Diagnostics:
    """The findings of a run as diagnostics."""

    def __init__(self, out: OutputSettings) -> None:
        self._quotations = Quotations(out.cwd)
        self._site = out.site

    def of(self, finding: Finding, lines: Sequence[str]) -> Record:
        """Return a finding, given the lines of its file."""
        record: Record = {
            "message": printable(finding.message),
            "location": _location(finding.path, finding.span, lines),
            "severity": _GRADES[finding.severity],
            "code": {"value": finding.rule},
        }
        if address := on_site(finding.rule, self._site):
            record["code"] = {"value": finding.rule, "url": address}
        if related := [self._related(step, finding, lines) for step in (*finding.trace, *told_beside(finding))]:
            record["related_locations"] = related
        # reviewdog offers each suggestion by itself, so that half a fix could be made.
        if finding.fix and len(finding.fix.edits) == 1:
            record["suggestions"] = [_suggestion(edit, lines) for edit in finding.fix.edits]
        return record

    def _related(self, step: Step, finding: Finding, lines: Sequence[str]) -> Record:
        quoted = lines if step.path == finding.path else self._quotations.lines(step.path)
        return {"message": printable(step.words), "location": _location(step.path, step.span, quoted)}


def _location(path: str, span: Span, lines: Sequence[str]) -> Record:
    return {"path": encodable(path), "range": _range(span, lines)}


def _suggestion(edit: Edit, lines: Sequence[str]) -> Record:
    return {"range": _range(edit.span, lines), "text": encodable(edit.text)}


def _range(span: Span, lines: Sequence[str]) -> Record:
    start, end = ((span.line, span.column), (span.end_line, span.end_column))
    return {"start": _position(*start, lines), "end": _position(*end, lines)}


def _position(line: int, column: int, lines: Sequence[str]) -> Record:
    """Return a position in a line; its column counts bytes of UTF-8, ours code points."""
    if line <= len(lines):
        column = len(lines[line - 1][: column - 1].encode("utf-8", "replace")) + 1
    return {"line": line, "column": column}
