"""Intended mistakes: where a test expects them to raise, whose exception is printed, and in cells that have raised."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.finding import Finding, Severity
from torchlint.syntax.exits import expects_to_raise
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model import SourceFile

# Of a longer `try` it is not known which statement its author expects to fail.
_MOST_STATEMENTS = 3
_SHOWING = frozenset({"print", "display"})
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign)


def not_on_purpose(findings: Iterable[Finding], file: SourceFile) -> Iterator[Finding]:
    """Yield findings but those in a block that is expected to raise, and errors whose exception the program shows.

    That is the last statement of a short `try` whose handler only prints it, or a cell with an exception in its output.

    Who reads a notebook sees there what is wrong with the cell; what is slow in it is not shown, and stays.
    """
    blocks: tuple[ast.With | ast.AsyncWith, ...] = (
        *file.index.statements(ast.With),
        *file.index.statements(ast.AsyncWith),
    )
    expected = [(one.body[0].lineno, one.end_lineno or one.lineno) for one in blocks if expects_to_raise(one)]
    printed = [
        (one.body[-1].lineno, one.body[-1].end_lineno or 0) for one in file.index.statements(ast.Try) if _is_shown(one)
    ]
    notebook = file.source.notebook
    for finding in findings:
        line = finding.span.line
        cell = notebook.cell_at(line) if notebook is not None and finding.severity is Severity.ERROR else None
        shown = printed if finding.severity is Severity.ERROR else ()
        has_raised = cell is not None and cell.raised
        if not has_raised and not any(first <= line <= last for first, last in (*expected, *shown)):
            yield finding


def _is_shown(block: ast.Try) -> bool:
    """Tell whether a `try` is there to show an exception: its handlers do nothing else."""
    is_short = len(block.body) <= _MOST_STATEMENTS and isinstance(block.body[-1], _SIMPLE)
    return is_short and bool(block.handlers) and all(map(_prints, block.handlers))


def _prints(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler prints the exception by its name, and does no more."""
    return handler.name is not None and all(_shows(statement, handler.name) for statement in handler.body)


def _shows(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Expr(value=ast.Call() as call) if callee_name(call) in _SHOWING:
            return any(isinstance(node, ast.Name) and node.id == name for node in walk(call))
        case _:
            return False
