"""A user's program: which of its lines wait for the GPU, and the linter's findings in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TypeAlias

from torchlint.files.regular import read_regular
from torchlint.finding import Finding, Span
from torchlint.source import UnreadableSourceError, read_source
from torchlint.verify.claiming import rules_claiming
from torchlint.verify.claims import Waits
from torchlint.verify.outcome import Observation
from torchlint.verify.sites import Site
from torchlint.verify.unruled import is_unruled
from torchlint.verify.waitlog import Waited

# A wait in fewer of the steps is not part of a step.
_EVERY_STEP = 0.5


Place: TypeAlias = "tuple[str, Span]"
"""A file, and a span of it."""


class Status(Enum):
    """The result of a run for a line."""

    CONFIRMED = "confirmed"
    """The linter reports it, and it waits on every step."""
    MISSED = "missed"
    """It waits on every step, and the linter does not report it."""
    NO_WAIT = "no wait"
    """The linter reports it; it was executed, and did not wait."""
    NOT_REACHED = "not reached"
    """The linter reports it, and this run did not execute it."""
    NO_RULE = "no rule"
    """It waits, and no rule is about such waits: a batch is copied to the GPU, a package reads its argument, a number
    is read again."""
    ONCE_ONLY = "once-only"
    """It waits, and not on every step."""


@dataclass(frozen=True, slots=True)
class Line:
    """A place in the program, how often it waits, and why; `rule` is empty without a finding.

    `steps` is in how many different steps it waits. `per_step` is how often in each of them; if it is not in every
    step, the share of the steps with it.
    """

    status: Status
    path: str
    span: Span
    waits: int
    steps: int
    per_step: float
    kinds: tuple[str, ...]
    function: str
    via: str
    rule: str


def about_waits(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that a run can confirm: those of rules whose programs claim to wait."""
    rules = rules_claiming(Waits)
    return [finding for finding in findings if finding.rule in rules]


def probes(findings: Sequence[Finding]) -> tuple[tuple[str, int], ...]:
    """Return the lines whose execution has to be noted, one for each finding."""
    return tuple((os.path.realpath(finding.path), finding.span.line) for finding in findings)


def lines(findings: Sequence[Finding], run: Observation) -> list[Line]:
    """Return the results of a run for the findings, and for the waits without one."""
    waits: dict[Place, list[Waited]] = {}
    for waited in run.waits:
        site = waited.wait.site
        waits.setdefault((os.path.realpath(site.path), span_of(site)), []).append(waited)
    found = [
        _of_finding(number, finding, waits, run)
        for number, finding in enumerate(findings)
        # Files around the program that are not part of it are not in this run.
        if os.path.realpath(finding.path) in run.loaded
    ]
    spoken_of = {place for finding in findings for place in waits if _speaks_of(finding, place)}
    found += [
        _line(_unspoken(waits[place], run), place, waits[place], run) for place in waits if place not in spoken_of
    ]
    return sorted(found, key=lambda line: (line.path, line.span, line.rule))


def _of_finding(number: int, finding: Finding, waits: Mapping[Place, list[Waited]], run: Observation) -> Line:
    """Return the result for a finding."""
    own = [entry for place, entries in waits.items() if _speaks_of(finding, place) for entry in entries]
    if own:
        status = Status.CONFIRMED if _is_on_every_step(own, run) else Status.ONCE_ONLY
    else:
        status = Status.NO_WAIT if number in run.reached else Status.NOT_REACHED
    return _line(status, (os.path.realpath(finding.path), finding.span), own, run, finding.rule)


def _line(status: Status, place: Place, entries: Sequence[Waited], run: Observation, rule: str = "") -> Line:
    path, span = place
    times, steps = _times(entries), len(_steps(entries))
    sites = [entry.wait.site for entry in entries]
    return Line(
        status,
        path,
        span,
        times,
        steps,
        (steps if status is Status.ONCE_ONLY else times) / max(run.steps, 1),
        tuple(dict.fromkeys(entry.wait.kind.value for entry in entries)),
        sites[0].function if sites else "",
        next((site.via for site in sites if site.via), ""),
        rule,
    )


def _unspoken(entries: Sequence[Waited], run: Observation) -> Status:
    if not _is_on_every_step(entries, run):
        return Status.ONCE_ONLY
    ruled = [entry for entry in entries if not is_unruled(entry.wait) and entry.idle < entry.times]
    return Status.MISSED if _is_on_every_step(ruled, run) else Status.NO_RULE


def _is_on_every_step(entries: Sequence[Waited], run: Observation) -> bool:
    if not run.steps:
        # A program without an optimizer has one step: a place that waits more than once there is in some loop.
        return _times(entries) > 1
    steps = len(_steps(entries))
    # One step is no repetition: what precedes the first step, such as moving the model, counts as part of it.
    return steps > 1 and steps / run.steps >= _EVERY_STEP


def _steps(entries: Sequence[Waited]) -> frozenset[int]:
    return frozenset[int]().union(*(entry.steps for entry in entries))


def _times(entries: Sequence[Waited]) -> int:
    return sum(entry.times for entry in entries)


def _speaks_of(finding: Finding, place: Place) -> bool:
    """Tell whether a finding's span is a place, a part of it, or contains it."""
    path, span = place
    said = finding.span
    overlap = (span.line, span.column) < (said.end_line, said.end_column)
    overlap &= (said.line, said.column) < (span.end_line, span.end_column)
    return overlap and os.path.realpath(finding.path) == path


def span_of(site: Site) -> Span:
    """Return a site's span as findings count: from 1, in code points; the whole line if no columns are known."""
    source = source_lines(site.path)
    first, last = (source[line - 1] if 0 < line <= len(source) else "" for line in (site.line, site.end_line))
    if not site.end_column:
        return Span(site.line, 1, site.line, len(first) + 1)
    start, end = _code_points(first, site.column), _code_points(last, site.end_column)
    return Span(site.line, start + 1, site.end_line, end + 1)


def _code_points(line: str, column: int) -> int:
    """Return a column of CPython's, which counts bytes of UTF-8 whatever the file's encoding, in code points."""
    return len(line.encode()[:column].decode(errors="replace"))


@cache
def source_lines(path: str) -> tuple[str, ...]:
    """Return the lines of a file, none if it cannot be read."""
    try:
        return tuple(read_source(path, read_regular(path)).text.removesuffix("\n").split("\n"))
    except (OSError, UnreadableSourceError):
        return ()


def code_at(line: Line) -> str:
    """Return the code at a place, its first line if there are several."""
    source = source_lines(line.path)
    if not 0 < line.span.line <= len(source):
        return ""
    text = source[line.span.line - 1]
    end = line.span.end_column - 1 if line.span.end_line == line.span.line else len(text)
    return text[line.span.column - 1 : end].strip()
