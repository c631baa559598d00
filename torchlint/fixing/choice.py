"""Which fixes can be made at once."""

from __future__ import annotations

from collections.abc import Iterable

from torchlint.finding import Edit, Finding


def chosen(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings whose fixes do not overlap, the first ones first.

    An edit that several fixes have in common, such as the import that they all need, is made once.
    """
    taken: set[Edit] = set()
    found = []
    for finding in findings:
        edits = finding.fix.edits if finding.fix else ()
        if edits and not any(_collide(edit, other) for edit in edits for other in taken if edit != other):
            taken.update(edits)
            found.append(finding)
    return found


def _collide(one: Edit, other: Edit) -> bool:
    """Tell whether two edits overlap, or insert at the same position, where their order is unknown."""
    start, end = _ends(one)
    other_start, other_end = _ends(other)
    if start == end and other_start == other_end:
        return start == other_start
    return start < other_end and other_start < end


def _ends(edit: Edit) -> tuple[tuple[int, int], tuple[int, int]]:
    span = edit.span
    return (span.line, span.column), (span.end_line, span.end_column)
