"""A text with the protocol's positions: lines from 0, and columns in the negotiated unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from lsprotocol import types as lsp

from torchlint.finding import Edit, Span

# Python itself splits lines at form feeds and the like, which the protocol does not.
_NEWLINE = re.compile(r"\r\n|\r|\n")
_BOM = "\ufeff"

_WIDTHS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "utf-32": len,
}


class Text:
    """A text, and the offsets of its lines."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = text
        self._encoding = encoding
        self._width = _WIDTHS[encoding]
        newlines = list(_NEWLINE.finditer(text))
        self._starts = [0, *(newline.end() for newline in newlines)]
        self._ends = [*(newline.start() for newline in newlines), len(text)]

    @property
    def plain(self) -> str:
        """Return the text in torchlint's form, with neither BOM nor newlines of other kinds."""
        return _NEWLINE.sub("\n", self.text.removeprefix(_BOM))

    def line(self, number: int) -> str:
        """Return a line, counted from 0, without its newline; those after the last one are empty."""
        return self.text[self._starts[number] : self._ends[number]] if number < len(self._starts) else ""

    def range(self, span: Span) -> lsp.Range:
        """Return a span of torchlint's, which never counts a BOM, as a range."""
        return lsp.Range(self._position(span.line, span.column), self._position(span.end_line, span.end_column))

    def place(self, position: lsp.Position) -> tuple[int, int]:
        """Return a position as a line and a column of torchlint's."""
        line = self.line(position.line)
        return position.line + 1, self._points(line, position.character) + 1 - self._lead(position.line)

    def text_edits(self, edits: Iterable[Edit]) -> list[lsp.TextEdit]:
        """Return edits of torchlint's as edits for the editor, with the newlines of the text."""
        newline = self.text[self._ends[0] : self._starts[1]] if len(self._starts) > 1 else "\n"
        return [lsp.TextEdit(self.range(edit.span), edit.text.replace("\n", newline)) for edit in edits]

    def _position(self, line: int, column: int) -> lsp.Position:
        if line > len(self._starts):
            return self._position(len(self._starts), len(self.line(len(self._starts) - 1)) + 1)
        before = self.line(line - 1)[: column - 1 + self._lead(line - 1)]
        return lsp.Position(line - 1, self._width(before))

    def _lead(self, line: int) -> int:
        return int(line == 0 and self.text.startswith(_BOM))

    def _points(self, line: str, units: int) -> int:
        """Return how many characters the first units of a line are."""
        if line.isascii():
            return min(units, len(line))
        seen = 0
        for index, character in enumerate(line):
            if seen >= units:
                return index
            seen += self._width(character)
        return len(line)

    def _offset(self, position: lsp.Position) -> int:
        if position.line >= len(self._starts):
            return len(self.text)
        return self._starts[position.line] + self._points(self.line(position.line), position.character)

    def changed(self, changes: Sequence[lsp.TextDocumentContentChangeEvent]) -> Text:
        """Return the text after some changes, each of which applies to the result of the one before."""
        text = self
        for change in changes:
            if isinstance(change, lsp.TextDocumentContentChangePartial):
                start, end = text._offset(change.range.start), text._offset(change.range.end)
                text = Text(text.text[:start] + change.text + text.text[end:], self._encoding)
            else:
                text = Text(change.text, self._encoding)
        return text


def edits_between(before: str, after: str) -> Iterator[Edit]:
    """Yield the edits, by whole lines, that change one text to another: unchanged lines keep the cursors in them."""
    from difflib import SequenceMatcher

    old, new = before.split("\n"), after.split("\n")
    for kind, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _lines_replaced(old, start, end, new[first:last])


def _lines_replaced(lines: Sequence[str], start: int, end: int, by: Sequence[str]) -> Edit:
    """Return the edit that replaces lines; after the last line there is no newline."""
    if end < len(lines):
        return Edit(Span(start + 1, 1, end + 1, 1), "".join(f"{line}\n" for line in by))
    close = (end, len(lines[-1]) + 1)
    if start == 0:
        return Edit(Span(1, 1, *close), "\n".join(by))
    return Edit(Span(start, len(lines[start - 1]) + 1, *close), "".join(f"\n{line}" for line in by))
