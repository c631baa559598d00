"""The format `gitlab`: a report of code quality as GitLab shows it in a merge request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from torchlint.finding import Finding, Severity
from torchlint.output.fingerprint import Fingerprints
from torchlint.output.jsontext import as_json
from torchlint.output.repository import in_repository
from torchlint.output.settings import OutputSettings
from torchlint.report import FileReport
from torchlint.terminal.text import encodable, printable

_GRADES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(reports: Iterable[FileReport], out: OutputSettings) -> Iterator[str]:
    """Yield an array with a line for each finding."""
    fingerprints, before = Fingerprints(), "[\n"
    for report in reports:
        for finding in report.findings:
            yield before + as_json(_degradation(finding, report.lines, fingerprints, out))
            before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _degradation(
    finding: Finding, lines: Sequence[str], fingerprints: Fingerprints, out: OutputSettings
) -> dict[str, object]:
    """Return GitLab's record of a finding; it does not show `check_name`, so that the description has the rule, too."""
    path, span = in_repository(finding.path, out), finding.span
    return {
        "description": f"{finding.rule}: {printable(finding.message)}",
        "check_name": finding.rule,
        # One of two with the same fingerprint is dropped.
        "fingerprint": fingerprints.of(finding, path, lines),
        "severity": _GRADES[finding.severity],
        "location": {"path": encodable(path), "lines": {"begin": span.line, "end": max(span.line, span.end_line)}},
    }
