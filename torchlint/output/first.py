"""Show no more findings than somebody wants to read at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from torchlint.report import FileReport


def first(reports: Iterable[FileReport], most: int) -> Iterator[FileReport]:
    """Yield the reports with as many findings as there is room for; with no limit, which is 0, all of them."""
    left = most
    for report in reports:
        yield report if not most else replace(report, findings=report.findings[:left])
        left = max(0, left - len(report.findings))
