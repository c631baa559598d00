"""Intended mistakes: where a test expects them to raise, and in cells that have raised."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.finding import Finding, Severity
from torchlint.syntax.exits import expects_to_raise

if TYPE_CHECKING:
    from torchlint.model import SourceFile


def not_on_purpose(findings: Iterable[Finding], file: SourceFile) -> Iterator[Finding]:
    """Yield findings but those in a block that is expected to raise, and errors in cells whose output shows one.

    Who reads a notebook sees there what is wrong with the cell; what is slow in it is not shown, and stays.
    """
    blocks: tuple[ast.With | ast.AsyncWith, ...] = (
        *file.index.statements(ast.With),
        *file.index.statements(ast.AsyncWith),
    )
    expected = [(one.body[0].lineno, one.end_lineno or one.lineno) for one in blocks if expects_to_raise(one)]
    notebook = file.source.notebook
    for finding in findings:
        line = finding.span.line
        cell = notebook.cell_at(line) if notebook is not None and finding.severity is Severity.ERROR else None
        has_raised = cell is not None and cell.raised
        if not has_raised and not any(first <= line <= last for first, last in expected):
            yield finding
