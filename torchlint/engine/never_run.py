"""Findings in code that never runs: below a `return`, a `raise` or a jump of the same block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.syntax.exits import first_leaving

if TYPE_CHECKING:
    from torchlint.finding import Finding
    from torchlint.model import SourceFile


def that_runs(findings: Iterable[Finding], file: SourceFile) -> Iterator[Finding]:
    """Yield the findings but those that no run comes to."""
    never = list(_never_run(file))
    for finding in findings:
        if not any(first <= finding.span.line <= last for first, last in never):
            yield finding


def _never_run(file: SourceFile) -> Iterator[tuple[int, int]]:
    """Yield the lines of the statements below the one that leaves a block, from the first to the last of them.

    In a notebook, users go on with the cells below one that stops.
    """
    for statement, (block, position) in file.index.home.items():
        if position + 1 < len(block.body) or (block.owner is None and file.source.notebook is not None):
            continue
        leaving = first_leaving(block.body, file.index)
        if leaving is not None and leaving < position:
            yield block.body[leaving + 1].lineno, statement.end_lineno or statement.lineno
