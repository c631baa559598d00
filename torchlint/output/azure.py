"""The format `azure`: logging commands that Azure Pipelines lists on the page of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from torchlint.finding import Finding, Severity
from torchlint.output.place import one_line
from torchlint.output.rank import parted, worst_first
from torchlint.output.repository import in_repository
from torchlint.output.settings import OutputSettings
from torchlint.output.summary import closing, counted
from torchlint.output.tally import Tally
from torchlint.report import FileReport
from torchlint.terminal.text import printable

# `_maxIssueCount` in ExecutionContext.cs of the agent: of each type, the first ten are kept.
_SHOWN = 10
# There is no third one.
_TYPES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "warning"}


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield commands for the worst findings, plain lines for the others, and the summary."""
    tally = Tally()
    findings = worst_first(finding for report in tally.counting(reports) for finding in report.findings)
    shown, others = parted(findings, lambda finding: _TYPES[finding.severity], _SHOWN)
    for finding in shown:
        yield f"{command(finding, out)}\n"
    if others:
        yield f"Azure shows {_SHOWN} findings of a type; {counted(len(others), 'more finding')}:\n"
    for finding in others:
        yield f"- {one_line(finding)}\n"
    yield from closing(tally, out)


def command(finding: Finding, out: OutputSettings) -> str:
    """Return the logging command that shows a finding beside its code."""
    properties = "".join(f"{key}={_escaped_property(value)};" for key, value in _properties(finding, out))
    return f"##vso[task.logissue {properties}]{_escaped(printable(finding.message))}"


def _properties(finding: Finding, out: OutputSettings) -> Iterator[tuple[str, str]]:
    path = printable(in_repository(finding.path, out))
    yield "type", _TYPES[finding.severity]
    # The agent strips all `=` that follow the key, and there is no escape for it.
    yield "sourcepath", f"./{path}" if path.startswith("=") else path
    yield "linenumber", str(finding.span.line)
    yield "columnnumber", str(finding.span.column)
    yield "code", finding.rule


def _escaped(text: str) -> str:
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(";", "%3B").replace("]", "%5D")
