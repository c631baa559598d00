"""Which of several changes makes things worse, and where: a fix in one file may break another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from torchlint.finding import Finding, Severity
from torchlint.report import FileReport


def first_bad(changes: int, is_bad: Callable[[int], bool]) -> int:
    """Return how many of some changes, in order, make things bad; 0 if they are bad without any."""
    if is_bad(0):
        return 0
    good, bad = 0, changes
    while bad - good > 1:
        middle = (good + bad) // 2
        if is_bad(middle):
            bad = middle
        else:
            good = middle
    return bad


def added(before: FileReport, after: FileReport, fixed: Iterable[Finding] = ()) -> str | None:
    """Return the rule of a new finding in a file, some of whose findings were fixed; a hint does not count."""
    left = Counter(finding.rule for finding in before.findings)
    left.subtract(finding.rule for finding in fixed)
    there = Counter(finding.rule for finding in after.findings if finding.severity is not Severity.INFO)
    return next((rule for rule, findings in there.items() if findings > left[rule]), None)
