"""The format `github`: annotations of a pull request, as workflow commands, and a summary of the job."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from torchlint.finding import Finding, Severity
from torchlint.output.markdown import write_job_summary
from torchlint.output.place import also, one_line, place_of
from torchlint.output.rank import parted, worst_first
from torchlint.output.repository import from_root
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import closing, counted
from torchlint.output.tally import Tally
from torchlint.report import FileReport
from torchlint.terminal.text import printable

# `_maxCountPerIssueType` in ExecutionContext.cs of the runner: of each kind, the first ten are kept.
_SHOWN = 10
_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield annotations for the worst findings, plain lines for the others, and the summary.

    GitHub keeps few annotations, so all findings must be known before the first is written.
    """
    tally = Tally()
    found = [report for report in tally.counting(reports) if report.findings]
    findings = worst_first(finding for report in found for finding in report.findings)
    shown, others = parted(findings, lambda finding: _KINDS[finding.severity], _SHOWN)
    for finding in shown:
        yield f"{annotation(finding, out)}\n"
    if others:
        yield f"GitHub shows {_SHOWN} annotations of a kind; {counted(len(others), 'more finding')}:\n"
    for finding in others:
        yield f"- {one_line(finding)}\n"
    yield from closing(tally, out)
    # A job has one summary, however many files are written beside its log.
    if not out.to_file and (path := os.environ.get("GITHUB_STEP_SUMMARY")):
        write_job_summary(path, found, tally, out)


def annotation(finding: Finding, out: OutputSettings) -> str:
    """Return the workflow command that shows a finding beside its code."""
    properties = ",".join(f"{key}={_escaped_property(value)}" for key, value in _properties(finding, out))
    return f"::{_KINDS[finding.severity]} {properties}::{_escaped(_body(finding))}"


def _properties(finding: Finding, out: OutputSettings) -> Iterator[tuple[str, str]]:
    span = finding.span
    yield "file", _file(finding.path, out)
    yield "line", str(span.line)
    yield "endLine", str(max(span.line, span.end_line))
    # The runner drops the columns of what spans several lines, and of what ends before it begins; those in the JSON of
    # a notebook are of no use to a reader of its cells.
    if span.line == span.end_line and finding.cell is None:
        yield "col", str(span.column)
        yield "endColumn", str(max(span.column, span.end_column))
    yield "title", f"torchlint ({finding.rule})"


def _file(path: str, out: OutputSettings) -> str:
    name = printable(from_root(path, out.cwd, os.environ.get("GITHUB_WORKSPACE")))
    # The runner strips all `=` that follow the key, and there is no escape for it.
    return f"./{name}" if name.startswith("=") else name


def _body(finding: Finding) -> str:
    """Return the text of the annotation: the finding, its trace, and its fix."""
    lines = [one_line(finding)]
    lines += [f"  {place_of(step)}: {printable(step.words)}" for step in finding.trace]
    lines += [f"  {place_of(one)}: {also(one, finding)}" for one in finding.related]
    if finding.fix:
        lines.append(f"  help: {printable(finding.fix.title)}")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
