"""Reports of files with a finding on some of their lines."""

from __future__ import annotations

from torchlint.finding import Confidence, Finding, Severity, Span
from torchlint.report import FileReport


def found(path: str, line: int, rule: str = "kept-graph", last: int = 0) -> Finding:
    """Return a finding on a line, or on some."""
    return Finding(rule, "sync", path, Span(line, 1, last or line, 2), "waits", Severity.WARNING, Confidence.HIGH)


def reported(path: str, text: str, *lines: int, rule: str = "kept-graph") -> FileReport:
    """Return the report of a file that has a finding on each of some lines."""
    return FileReport(path, tuple(found(path, line, rule) for line in lines), lines=tuple(text.split("\n")))
