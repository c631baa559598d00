"""The lines of a file by offsets into its text."""

from __future__ import annotations

import re
from bisect import bisect_right

from torchlint.finding import Span

_NEWLINE = re.compile(r"\r\n|\r|\n")


class Rows:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self._text = text
        newlines = list(_NEWLINE.finditer(text))
        self._starts = [0, *(newline.end() for newline in newlines)]
        self._ends = [*(newline.start() for newline in newlines), len(text)]

    def row(self, number: int) -> str:
        """Return a line, without its newline."""
        return self._text[self._starts[number - 1] : self._ends[number - 1]]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset."""
        row = bisect_right(self._starts, offset)
        return row, offset - self._starts[row - 1] + 1

    def span(self, offset: int) -> Span:
        """Return the span of one character."""
        row, column = self.place(offset)
        return Span(row, column, row, column + 1)
