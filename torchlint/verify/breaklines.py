"""A user's program: which of its lines break graphs, and the linter's findings in them."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from torchlint.files.regular import read_regular
from torchlint.finding import Finding
from torchlint.source import UnreadableSourceError, parse, read_source
from torchlint.verify.breaklog import Broken
from torchlint.verify.claiming import rules_claiming
from torchlint.verify.claims import BreaksGraph


class BreakStatus(Enum):
    """The result of a run for a line."""

    CONFIRMED = "confirmed"
    """The linter reports it, and Dynamo breaks the graph there."""
    MISSED = "missed"
    """Dynamo breaks the graph there, and the linter does not report it."""
    NO_BREAK = "no break"
    """The linter reports it; it was executed, and Dynamo did not break the graph there."""
    NOT_TRACED = "not traced"
    """The linter reports it, in a function that Dynamo leaves to Python for another break."""
    NOT_REACHED = "not reached"
    """The linter reports it, and this run did not execute it."""


@dataclass(frozen=True, slots=True)
class BreakLine:
    """A line of the program, how many graphs it breaks, and Dynamo's reason; `rule` is empty without a finding."""

    status: BreakStatus
    path: str
    line: int
    times: int
    reason: str
    rule: str


def about_breaks(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that such a run can confirm: those of rules whose programs claim to break graphs."""
    rules = rules_claiming(BreaksGraph)
    return [one for finding in findings for one in finding.members if one.rule in rules]


def break_lines(findings: Sequence[Finding], broken: Sequence[Broken], reached: Collection[int]) -> list[BreakLine]:
    """Return the results of a run for the findings, and for the breaks without one; `reached` numbers findings."""
    found = [*_of_findings(findings, broken, reached), *_unspoken(findings, broken)]
    return sorted(found, key=lambda one: (one.path, one.line, one.rule))


def _of_findings(
    findings: Sequence[Finding], broken: Sequence[Broken], reached: Collection[int]
) -> Iterator[BreakLine]:
    run = {os.path.realpath(findings[number].path) for number in reached} | {
        os.path.realpath(one.path) for one in broken
    }
    for number, finding in enumerate(findings):
        # Files around the program that are not part of it are not in this run.
        if os.path.realpath(finding.path) not in run:
            continue
        own = [one for one in broken if _is_about(finding, one)]
        status = BreakStatus.CONFIRMED if own else _without_break(finding, broken, is_reached=number in reached)
        times, reason = sum(one.times for one in own), own[0].reason if own else ""
        yield BreakLine(status, os.path.realpath(finding.path), finding.span.line, times, reason, finding.rule)


def _without_break(finding: Finding, broken: Sequence[Broken], *, is_reached: bool) -> BreakStatus:
    if not is_reached:
        return BreakStatus.NOT_REACHED
    path = os.path.realpath(finding.path)
    function = _function_around(path, finding.span.line)
    left = (one for one in broken if one.skips and os.path.realpath(one.path) == path)
    is_left = any(_function_around(path, one.line) == function for one in left)
    return BreakStatus.NOT_TRACED if is_left else BreakStatus.NO_BREAK


def _function_around(path: str, line: int) -> int:
    """Return the first line of the innermost function around a line, 0 for none."""
    starts = [first for first, last in _functions(path) if first <= line <= last]
    return max(starts, default=0)


@cache
def _functions(path: str) -> tuple[tuple[int, int], ...]:
    """Return the first and last lines of the functions of a file."""
    try:
        tree = parse(read_source(path, read_regular(path)))
    except (OSError, UnreadableSourceError):
        return ()
    functions = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return tuple((node.lineno, node.end_lineno or node.lineno) for node in functions)


def _unspoken(findings: Sequence[Finding], broken: Sequence[Broken]) -> Iterator[BreakLine]:
    for one in broken:
        if not any(_is_about(finding, one) for finding in findings):
            yield BreakLine(BreakStatus.MISSED, os.path.realpath(one.path), one.line, one.times, one.reason, "")


def _is_about(finding: Finding, broken: Broken) -> bool:
    is_within = finding.span.line <= broken.line <= finding.span.end_line
    return is_within and os.path.realpath(finding.path) == os.path.realpath(broken.path)
