"""The position and the message of a finding, in one line."""

from __future__ import annotations

from torchlint.finding import CellSpan, Finding, Span, Step
from torchlint.quoting import subject
from torchlint.terminal.text import printable


def place(path: str, span: Span) -> str:
    """Return a position in the form that editors and terminals open."""
    return f"{opening(path)}:{span.line}:{span.column}"


def opening(path: str) -> str:
    """Return a path that may begin a line: GitHub's runner would execute a file name that begins with `::`."""
    shown = printable(path)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


def seen_place(path: str, span: Span, cell: int | None = None) -> str:
    """Return a position for the reader: a cell of a notebook has lines of its own."""
    return f"{opening(path)}:cell {cell}:{span.line}:{span.column}" if cell else place(path, span)


def place_of(one: Finding | Step) -> str:
    """Return the position of something for the reader."""
    where = one.cell or CellSpan(0, one.span)
    return seen_place(one.path, where.span, where.cell)


def one_line(finding: Finding) -> str:
    """Return a finding as one line of text."""
    return f"{place_of(finding)}: {finding.rule} {sign(finding)}{printable(finding.message)}"


def sign(finding: Finding) -> str:
    """Return the sign of a finding with a safe fix, possibly of a part."""
    return "[*] " if any(one.fix and one.fix.safe for one in finding.members) else ""


def told_beside(finding: Finding) -> tuple[Step, ...]:
    """Return the related places of a finding as steps with their messages, and rules if they differ."""
    return tuple(Step(one.path, one.span, one.message + _rule(one, finding), one.cell) for one in finding.related)


def also(one: Finding, finding: Finding) -> str:
    """Return what there is at a place that is shown with a finding: its code, and its rule if that is another."""
    return f"also {sign(one)}{printable(subject(one.message))}{_rule(one, finding)}"


def _rule(one: Finding, finding: Finding) -> str:
    return "" if one.rule == finding.rule else f" ({one.rule})"
