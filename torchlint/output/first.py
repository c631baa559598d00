"""Show no more findings than somebody wants to read at once: the worst of them, first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from torchlint.output.rank import worst_first
from torchlint.report import FileReport


def first(reports: Iterable[FileReport], most: int) -> Iterator[FileReport]:
    """Yield the reports as they come; where there are more findings than `most`, those with the worst, worst first.

    The report of a file then comes as often as the file has its turn. 0 is no limit.
    """
    if not most:
        yield from reports
        return
    found = list(reports)
    of = {id(finding): report for report in found for finding in report.findings}
    if len(of) <= most:
        yield from found
        return
    worst = worst_first(finding for report in found for finding in report.findings)[:most]
    for _, group in groupby(worst, key=lambda finding: id(of[id(finding)])):
        findings = tuple(group)
        yield replace(of[id(findings[0])], findings=findings)
