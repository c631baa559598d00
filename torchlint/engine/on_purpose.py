"""Intended mistakes: where a test expects them to raise, whose exception is printed, and in cells that have raised."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.engine.expected import ExpectedErrors
from torchlint.finding import Finding, Severity
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model import SourceFile

# Of a longer `try` it is not known which statement its author expects to fail.
_MOST_STATEMENTS = 3
# Of Python's `traceback`, for the exception that is handled.
_CURRENT = frozenset({"print_exc", "format_exc"})
_SHOWING = frozenset({"print", "pprint", "display", *_CURRENT})
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign)


def not_on_purpose(findings: Iterable[Finding], file: SourceFile) -> Iterator[Finding]:
    """Yield findings but those that are expected to raise, and errors whose exception the program shows.

    That is the last statement of a short `try` whose handler only shows it, or a cell with an exception in its output.

    Who reads a notebook sees there what is wrong with the cell; what is slow in it is not shown, and stays.
    """
    expected = ExpectedErrors(file)
    printed = [
        (one.body[-1].lineno, one.body[-1].end_lineno or 0) for one in file.index.statements(ast.Try) if _is_shown(one)
    ]
    notebook = file.source.notebook
    for finding in findings:
        line = finding.span.line
        cell = notebook.cell_at(line) if notebook is not None and finding.severity is Severity.ERROR else None
        shown = printed if finding.severity is Severity.ERROR else ()
        has_raised = cell is not None and cell.raised
        if not has_raised and not any(first <= line <= last for first, last in shown) and not expected.at(line):
            yield finding


def _is_shown(block: ast.Try) -> bool:
    """Tell whether a `try` is there to show an exception: its handlers do nothing else."""
    is_short = len(block.body) <= _MOST_STATEMENTS and isinstance(block.body[-1], _SIMPLE)
    return is_short and bool(block.handlers) and all(map(_shows, block.handlers))


def _shows(handler: ast.ExceptHandler) -> bool:
    """Tell whether a handler shows or checks the exception, and does no more."""
    names = {handler.name}
    has_shown = False
    for statement in handler.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_about(value, names):
                names.add(name)
            case ast.Expr(value=ast.Call() as call) if callee_name(call) in _SHOWING:
                has_shown |= _is_about(call, names)
            case ast.Assert(test=test):
                has_shown |= _is_about(test, names)
            case _:
                return False
    return has_shown


def _is_about(node: ast.expr, names: Container[str | None]) -> bool:
    """Tell whether an expression has one of the names of an exception, or asks `traceback` for it."""
    return any(
        (isinstance(one, ast.Name) and one.id in names) or (isinstance(one, ast.Call) and callee_name(one) in _CURRENT)
        for one in walk(node)
    )
