"""Limit the number of findings shown: the worst of them, first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from torchlint.output.rank import worst_first
from torchlint.report import FileReport


def first(reports: Iterable[FileReport], most: int) -> Iterator[FileReport]:
    """Yield the reports as they come; if there are more findings than `most`, those with the worst, worst first.

    The report of a file then comes once for each group of its findings. 0 is no limit.
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
