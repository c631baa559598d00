"""Findings and summaries as plain values for JSON; `schema.json` beside this file describes them."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import md5
from typing import TypeAlias

from torchlint import __version__
from torchlint.errors import RunError
from torchlint.finding import Cause, Edit, Finding, Fix, Severity, Span, Step
from torchlint.output.fingerprint import Fingerprints
from torchlint.output.rule_links import on_site
from torchlint.output.settings import OutputSettings
from torchlint.output.tally import RuleTally, Tally
from torchlint.report import FileReport, RunNote
from torchlint.terminal.text import encodable

# Grows when a field is removed or changes its meaning; a new field does not change it.
VERSION = 1

Record: TypeAlias = "dict[str, object]"


def header() -> Record:
    """Return the header: which program wrote the rest, and in which version of the schema."""
    return {"version": VERSION, "tool": {"name": "torchlint", "version": __version__}}


def finding_records(report: FileReport, fingerprints: Fingerprints, site: str) -> Iterator[Record]:
    """Yield everything about the findings of a file, with the pages of their rules on a site."""
    for finding in report.findings:
        fingerprint = fingerprints.of(finding, finding.path, report.lines)
        yield _finding(finding) | {
            "url": on_site(finding.rule, site) or None,
            "cause": finding.cause and _identity(finding.cause),
            "related": [_finding(one) for one in finding.related],
            "fingerprint": fingerprint,
        }


def _finding(finding: Finding) -> Record:
    return {
        "rule": finding.rule,
        "group": finding.group,
        "path": encodable(finding.path),
        **_place(finding),
        "message": encodable(finding.message),
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "trace": [_step(step) for step in finding.trace],
        "fix": finding.fix and _fix(finding.fix),
    }


def _identity(cause: Cause) -> str:
    """Return what is the same for findings of one cause, and for no others of the run."""
    return md5(repr(cause).encode(), usedforsecurity=False).hexdigest()


def closing_record(tally: Tally, out: OutputSettings) -> Record:
    """Return the record after the last report."""
    record: Record = {"summary": _summary(tally, out.elapsed), "errors": [_error(error) for error in tally.errors]}
    record["notes"] = [_note(note) for note in tally.notes]
    return record | ({"statistics": _statistics(tally)} if out.statistics else {})


def _span(span: Span) -> Record:
    return {"line": span.line, "column": span.column, "end_line": span.end_line, "end_column": span.end_column}


def _place(one: Finding | Step) -> Record:
    """Return a position: in the lines of its cell if it is in a notebook, with the line of the file."""
    if one.cell is None:
        return _span(one.span)
    return {"cell": one.cell.cell, **_span(one.cell.span), "physical_line": one.span.line}


def _step(step: Step) -> Record:
    return {"path": encodable(step.path), **_place(step), "message": encodable(step.words)}


def _fix(fix: Fix) -> Record:
    return {
        "title": encodable(fix.title),
        "applicability": "safe" if fix.safe else "unsafe",
        "doubt": encodable(fix.doubt),
        "edits": [{"cell": one.cell, **_edit(one.edit)} for one in fix.cells] or [_edit(edit) for edit in fix.edits],
    }


def _edit(edit: Edit) -> Record:
    return {**_span(edit.span), "text": encodable(edit.text)}


def _error(error: RunError) -> Record:
    return {"path": encodable(error.path), "kind": error.kind, "message": encodable(error.message)}


def _note(note: RunNote) -> Record:
    return {"path": encodable(note.path), "rules": list(note.rules), "message": encodable(note.message)}


def _summary(tally: Tally, seconds: float) -> Record:
    return {
        "files": tally.files,
        "findings": tally.findings,
        "places": tally.places,
        "by_severity": {severity.value: tally.by_severity[severity] for severity in Severity},
        "by_rule": {rule.name: rule.findings for rule in sorted(tally.rules, key=lambda rule: rule.name)},
        "fixable": {"safe": tally.safe, "unsafe": tally.unsafe},
        "suppressed": tally.suppressed,
        "baselined": tally.baselined,
        "duration_s": round(seconds, 3),
    }


def _statistics(tally: Tally) -> Record:
    return {
        "rules": [_rule(rule) for rule in tally.rules],
        "files": [{"path": encodable(path), "findings": findings} for path, findings in tally.paths],
    }


def _rule(rule: RuleTally) -> Record:
    return {
        "rule": rule.name,
        "findings": rule.findings,
        "severity": rule.severity.value,
        "confidence": rule.confidence.value,
        "fixable": {"safe": rule.safe, "unsafe": rule.unsafe},
    }
