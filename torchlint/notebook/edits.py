"""Convert an edit of a notebook's program to one of a cell, and to one of the file's JSON."""

from __future__ import annotations

import json

from torchlint.finding import CellEdit, Edit, Span
from torchlint.notebook.layout import Cell, Notebook


class SeveralCellsError(Exception):
    """An edit spans more than one cell."""


def cell_edit(notebook: Notebook, edit: Edit) -> CellEdit:
    """Return an edit in the lines of its cell; raises `SeveralCellsError` if there are several."""
    cell, edit = _within_cell(notebook, edit)
    span, before = edit.span, cell.first - 1
    moved = Span(span.line - before, span.column, span.end_line - before, span.end_column)
    return CellEdit(cell.number, Edit(moved, edit.text))


def file_edit(notebook: Notebook, edit: Edit) -> Edit:
    """Return an edit of the file's text that makes an edit of the program; raises as `cell_edit` does.

    The inserted text is encoded as JSON, with every line a string of its own if the source is a list of them.
    """
    cell, edit = _within_cell(notebook, edit)
    span = edit.span
    start, end = cell.offset(span.line, span.column), cell.offset(span.end_line, span.end_column)
    text = edit.text
    # A span that ends with whole lines includes their strings.
    is_whole = not text or text.endswith("\n")
    row, column = cell.place(start)
    end_row, end_column = (row, column) if end == start else cell.place(end, is_end=not is_whole or end == cell.end)
    is_last = end == cell.end and text.endswith("\n")
    spelled = _spelled(text.removesuffix("\n") if is_last else text, cell, notebook.is_ascii)
    tail = _spelled_newline(cell) if is_last else ""
    return Edit(Span(row, column, end_row, end_column), spelled + tail)


def _within_cell(notebook: Notebook, edit: Edit) -> tuple[Cell, Edit]:
    """Return the cell of an edit, and the edit without the line that only separates two cells."""
    span, text = edit.span, edit.text
    cell = notebook.cell_at(span.line)
    if cell is None:
        raise SeveralCellsError
    if _is_in_head(cell, span):
        return _below_head(cell, edit)
    if span.end_line <= cell.last:
        return cell, edit
    if (span.end_line, span.end_column) != (cell.last + 1, 1) or not (text == "" or text.endswith("\n")):
        raise SeveralCellsError
    end = (cell.last, len(cell.lines[-1]) + 1)
    if span.line > cell.last:
        return cell, Edit(Span(*end, *end), f"\n{text.removesuffix(chr(10))}" if text else "")
    if text == "" and span.column == 1 and span.line > cell.first:
        above = span.line - 1
        return cell, Edit(Span(above, len(cell.lines[above - cell.first]) + 1, *end), "")
    return cell, Edit(Span(span.line, span.column, *end), text.removesuffix("\n"))


def _is_in_head(cell: Cell, span: Span) -> bool:
    """Tell whether an edit is in the lines down to the magic of a cell, and not in what follows them."""
    last = cell.first + cell.head - 1
    return cell.head > 0 and (span.line, span.column) <= (last, len(cell.lines[cell.head - 1]))


def _below_head(cell: Cell, edit: Edit) -> tuple[Cell, Edit]:
    """Return an edit that puts its lines below the magic of a cell, which must stay the first of its lines."""
    span, line = edit.span, cell.first + cell.head
    if (span.line, span.column) != (span.end_line, span.end_column) or line > cell.last:
        raise SeveralCellsError
    return cell, Edit(Span(line, 1, line, 1), edit.text)


def _spelled(text: str, cell: Cell, is_ascii: bool) -> str:
    lines = (json.dumps(line, ensure_ascii=is_ascii)[1:-1] for line in text.split("\n"))
    return cell.break_.join(lines)


def _spelled_newline(cell: Cell) -> str:
    """Return the JSON encoding of the end of a line of the cell."""
    return cell.break_.partition('"')[0]
