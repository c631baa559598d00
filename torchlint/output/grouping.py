"""Show findings of one cause as one: at the first of their places, and with the others as related.

What is ignored, known or fixed is so place by place, before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from torchlint.finding import Cause, Finding, Span
from torchlint.output.cells import seen
from torchlint.output.rank import gravity, sureness
from torchlint.quoting import subject
from torchlint.report import FileReport

# As long as messages may be.
_LONGEST = 160


def grouped(reports: Iterable[FileReport]) -> Iterator[FileReport]:
    """Yield reports in which findings of one cause are one, in the report of the first of them.

    Reports come as they are as long as no cause does, as one may make findings in any file that is to come.
    """
    coming = iter(reports)
    for report in coming:
        if any(finding.cause for finding in report.findings):
            yield from _grouped([report, *coming])
            return
        yield report


def _grouped(reports: Sequence[FileReport]) -> Iterator[FileReport]:
    by_cause: dict[Cause, list[Finding]] = defaultdict(list)
    for finding in (finding for report in reports for finding in report.findings):
        if finding.cause is not None:
            by_cause[finding.cause].append(finding)
    groups = {id(first): _as_one(first, cause, found) for cause, found in by_cause.items() for first in [_first(found)]}
    hidden = {id(one) for group in groups.values() for one in group.related}
    for report in reports:
        shown = (groups.get(id(one), one) for one in report.findings if id(one) not in hidden)
        yield replace(report, findings=tuple(shown))


def _first(found: Iterable[Finding]) -> Finding:
    """Return the representative of several findings: the first with the highest severity and confidence."""
    return min(found, key=lambda one: (gravity(one.severity), sureness(one.confidence), *_when(one)))


def _as_one(first: Finding, cause: Cause, found: Sequence[Finding]) -> Finding:
    if len(found) == 1:
        return first
    related = tuple(sorted((one for one in found if one is not first), key=_when))
    return replace(first, message=_message(first, cause, related), related=related)


def _when(finding: Finding) -> tuple[Sequence[Span], str]:
    """Return what findings of one cause are ordered by as a run comes to them: by their calls, from its place on."""
    cause, trace = finding.cause, finding.trace
    starts = cause is not None and trace[:1] and (trace[0].path, trace[0].span) == (cause.path, cause.span)
    return (*(step.span for step in trace[1:] if starts), finding.span), finding.rule


def _message(finding: Finding, cause: Cause, related: Sequence[Finding]) -> str:
    """Return the message of all: as many of the others' lines as there is room for."""
    do, places = ("does", "place") if len(related) == 1 else ("do", "places")
    head = f"{subject(finding.message)} {cause.happens}, as {do} {len(related)} more {places} {cause.within}"
    tail = f"; {cause.advice}"
    return head + _lines(finding, related, _LONGEST - len(head) - len(tail)) + tail


def _lines(finding: Finding, related: Sequence[Finding], room: int) -> str:
    """Return lines in brackets, those in the file or cell of a finding by their numbers alone."""
    beside = {seen(one).line for one in related if _is_beside(one, finding)}
    here = ["this line"] if seen(finding).line in beside else []
    numbers = [str(line) for line in sorted(beside - {seen(finding).line})]
    others = dict.fromkeys(_elsewhere(one) for one in related if not _is_beside(one, finding))
    if numbers:
        numbers[0] = f"line{'s' if len(numbers) > 1 else ''} {numbers[0]}"
    told, names = " (", [*here, *numbers, *others]
    # Each takes a digit, a comma and a space at least.
    for count in range(min(len(names), room // 3), 0, -1):
        text = f"{told}{', '.join(names[:count])}{', …' if count < len(names) else ''})"
        if len(text) <= room:
            return text
    return ""


def _is_beside(one: Finding, finding: Finding) -> bool:
    return (one.path, one.cell and one.cell.cell) == (finding.path, finding.cell and finding.cell.cell)


def _elsewhere(one: Finding) -> str:
    where = f"cell {one.cell.cell}" if one.cell else one.path
    return f"{where}:{seen(one).line}"
