"""Show findings of one cause as one: at the first of their places, and with the others as related.

What is ignored, known or fixed is so place by place, before.
"""

from __future__ import annotations

import re
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
_IT = re.compile(r"\bit\b")


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
    do, places = ("does", "place") if len(related) == 1 else ("do", "places")
    head = f"{subject(finding.message)} {cause.happens}, as {do} {len(related)} more {places} "
    names, room = _names(finding, related), _LONGEST - len(head)
    tail = f"; {_advice(finding, cause, related, room - len(f'{cause.within} ({names[0]}, …); '))}"
    room -= len(tail)
    are_named = len(cause.within) + len(_lines(names)) <= room
    within = cause.within if are_named else _spread(finding, related) or cause.within
    return head + within + _lines(names, room - len(within)) + tail


def _advice(finding: Finding, cause: Cause, related: Sequence[Finding], room: int) -> str:
    """Return what is to be done of each if that is the same, there is room, and it is no longer form of the cause's."""
    own, *others = {one.message.rpartition("; ")[2] for one in (finding, *related)}
    if others or own.startswith(cause.advice) or len(own := _IT.sub("them", own)) > room:
        return cause.advice
    return own


def _names(finding: Finding, related: Sequence[Finding]) -> list[str]:
    """Return the names of the others' lines, those in the file or cell of a finding by their numbers alone."""
    beside = {seen(one).line for one in related if _is_beside(one, finding)}
    here = ["this line"] if seen(finding).line in beside else []
    numbers = [str(line) for line in sorted(beside - {seen(finding).line})]
    others = dict.fromkeys(_elsewhere(one) for one in related if not _is_beside(one, finding))
    if numbers:
        numbers[0] = f"line{'s' if len(numbers) > 1 else ''} {numbers[0]}"
    return [*here, *numbers, *others]


def _lines(names: Sequence[str], room: int | None = None) -> str:
    """Return names in brackets, as many as there is room for."""
    # Each takes a digit, a comma and a space at least.
    for count in range(len(names) if room is None else min(len(names), room // 3), 0, -1):
        text = f" ({', '.join(names[:count])}{', …' if count < len(names) else ''})"
        if room is None or len(text) <= room:
            return text
    return ""


def _spread(finding: Finding, related: Sequence[Finding]) -> str:
    """Return in how many files or cells the others are, as not all of them are named; nothing if these are beside."""
    if all(_is_beside(one, finding) for one in related):
        return ""
    files = {one.path for one in related}
    cells = {one.cell and one.cell.cell for one in related}
    what, where = ("cell", cells) if files == {finding.path} else ("file", files)
    return f"in {len(where)} {what}s" if len(where) > 1 else f"in another {what}"


def _is_beside(one: Finding, finding: Finding) -> bool:
    return (one.path, one.cell and one.cell.cell) == (finding.path, finding.cell and finding.cell.cell)


def _elsewhere(one: Finding) -> str:
    where = f"cell {one.cell.cell}" if one.cell else one.path
    return f"{where}:{seen(one).line}"
