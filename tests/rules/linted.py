"""What the rule of each program among the fixtures says of it, which all tests share that read it."""

from __future__ import annotations

from functools import cache

from torchlint.finding import Finding
from torchlint.report import FileReport
from torchlint.testing import Case


@cache
def reports_of(case: Case) -> tuple[FileReport, ...]:
    """Return what the rule of a program says of it, by files."""
    return tuple(case.reports())


def findings_of(case: Case) -> list[Finding]:
    """Return the same without the files."""
    return [finding for report in reports_of(case) for finding in report.findings]
