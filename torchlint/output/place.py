"""Say where a finding is and what it says, in one line."""

from __future__ import annotations

from torchlint.finding import Finding, Span
from torchlint.screen import printable


def place(path: str, span: Span) -> str:
    """Return a place as editors and terminals open it."""
    return f"{opening(path)}:{span.line}:{span.column}"


def opening(path: str) -> str:
    """Return a path as it can begin a line: GitHub's runner would obey a file whose name begins with `::`."""
    shown = printable(path)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


def one_line(finding: Finding) -> str:
    """Return a finding as one line of text."""
    return f"{place(finding.path, finding.span)}: {finding.rule} {sign(finding)}{printable(finding.message)}"


def sign(finding: Finding) -> str:
    """Return the sign of a finding that can be mended safely."""
    return "[*] " if finding.fix and finding.fix.safe else ""
