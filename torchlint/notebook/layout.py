"""The position of each line of a notebook's program: its cell, and its place in the file's JSON."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from torchlint.finding import CellSpan, Span

# One character of a string in JSON; two escaped surrogates are one character.
_SPELLED = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u.{4}|\\.|.")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A string of a cell's source: its text begins at `start` in the cell's, and in the file after its quote.

    `raw` is the string in JSON, without the quotes.
    """

    start: int
    row: int
    column: int
    raw: str

    def column_of(self, offset: int) -> int:
        """Return the column of a character, by its offset into the text of the cell."""
        if "\\" not in self.raw:
            return self.column + offset - self.start
        at = 0
        for _ in range(offset - self.start):
            spelled = _SPELLED.match(self.raw, at)
            at = spelled.end() if spelled else at + 1
        return self.column + at


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: `number` counts cells of all kinds from 1, `first` is its first line in the program.

    `starts` are the offsets of its lines in its text, and of the end of that. `break_` is how the file spells the end
    of a line: with the quotes, the comma and the indentation that part one string of a list from the next. Nothing can
    go before the `head`, the lines down to a magic that is about the whole cell. `raised` tells whether it ended with
    an error when it was last run, or is expected to.
    """

    number: int
    first: int
    lines: tuple[str, ...]
    starts: tuple[int, ...]
    chunks: tuple[Chunk, ...]
    break_: str
    head: int = 0
    raised: bool = False

    @property
    def last(self) -> int:
        """Return its last line in the program."""
        return self.first + len(self.lines) - 1

    @property
    def end(self) -> int:
        """Return the offset of its end."""
        return self.starts[-1]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position of the program; past the end of a line, that of its end."""
        index = line - self.first
        return self.starts[index] + min(column - 1, len(self.lines[index]))

    def place(self, offset: int, *, is_end: bool = False) -> tuple[int, int]:
        """Return the row and the column of an offset in the file; an end stays with the character before it."""
        index = bisect_right(self.chunks, offset - is_end, key=lambda chunk: chunk.start) - 1
        chunk = self.chunks[max(index, 0)]
        return chunk.row, chunk.column_of(offset)


@dataclass(frozen=True, slots=True)
class Notebook:
    """The code cells of a notebook, in order.

    `rows` are the lines of the file with any of these, by number. `is_ascii` tells whether the file escapes all else.
    """

    cells: tuple[Cell, ...]
    rows: tuple[tuple[int, str], ...] = ()
    is_ascii: bool = True

    def cell_at(self, line: int) -> Cell | None:
        """Return the cell of a line of the program; None if there is no code at all."""
        index = bisect_right(self.cells, line, key=lambda cell: cell.first) - 1
        return self.cells[max(index, 0)] if self.cells else None

    def cell(self, number: int) -> Cell:
        """Return a cell by its number for the reader."""
        return next(cell for cell in self.cells if cell.number == number)

    def file_lines(self) -> tuple[str, ...]:
        """Return the lines of the file as far as its code goes; those without code are empty."""
        lines = [""] * max((number for number, _ in self.rows), default=0)
        for number, row in self.rows:
            lines[number - 1] = row
        return tuple(lines)

    def in_cell(self, span: Span) -> CellSpan:
        """Return a span of the program for the reader; one that continues in the next cell ends with its own."""
        cell = self.cell_at(span.line)
        if cell is None:
            return CellSpan(1, span)
        inside = _inside(span, cell)
        above = cell.first - 1
        moved = Span(inside.line - above, inside.column, inside.end_line - above, inside.end_column)
        return CellSpan(cell.number, moved)

    def in_file(self, span: Span) -> Span:
        """Return the span in the file of a span of the program."""
        cell = self.cell_at(span.line)
        if cell is None:
            return span
        inside = _inside(span, cell)
        start, end = cell.offset(inside.line, inside.column), cell.offset(inside.end_line, inside.end_column)
        row, column = cell.place(start)
        end_row, end_column = cell.place(end, is_end=True) if end > start else (row, column)
        return Span(row, column, end_row, end_column)


def _inside(span: Span, cell: Cell) -> Span:
    """Return the part of a span that is in the cell where it begins."""
    if span.end_line <= cell.last:
        return span
    end = (cell.last, len(cell.lines[-1]) + 1)
    return Span(*min((span.line, span.column), end), *end)
