"""The text of a file with the newlines that it has, to be edited by lines and columns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from torchlint.finding import Edit, Span
from torchlint.source import read_source

_NEWLINE = re.compile(r"\r\n|\r|\n")


class CannotBeKeptError(Exception):
    """The bytes differ from the encoding of their text: what is written back would differ everywhere."""


class Draft:
    """A file's text, in which every character that no edit covers keeps its bytes."""

    def __init__(self, shown: str, data: bytes) -> None:
        source = read_source(shown, data)
        self._encoding, self._notebook = source.encoding, source.notebook
        self._text = data.decode(self._encoding)
        if self._text.encode(self._encoding) != data:
            raise CannotBeKeptError(f"cannot be written back as it is in {self._encoding}")
        newlines = list(_NEWLINE.finditer(self._text))
        self._starts = [0, *(newline.end() for newline in newlines)]
        self._newlines = [newline[0] for newline in newlines]

    def edited(self, edits: Iterable[Edit]) -> bytes:
        """Return the bytes after the edits; raises `ValueError` if two overlap."""
        pieces: list[str] = []
        done = 0
        for edit in sorted(dict.fromkeys(self._in_file(edits)), key=lambda edit: edit.span):
            start, end = self._stretch(edit.span)
            if start < done:
                raise ValueError(f"two edits of the same text at {edit.span}")
            # The separator of two strings of a notebook's source keeps its newlines.
            text = edit.text if self._notebook else edit.text.replace("\n", self._newline(edit.span.line))
            pieces += (self._text[done:start], text)
            done = end
        text = "".join((*pieces, self._text[done:]))
        try:
            return text.encode(self._encoding)
        except UnicodeEncodeError as error:
            raise CannotBeKeptError(f"cannot be written in {self._encoding}") from error

    def _in_file(self, edits: Iterable[Edit]) -> list[Edit]:
        """Return the edits of the file: in a notebook those of its JSON."""
        if self._notebook is None:
            return list(edits)
        from torchlint.notebook.edits import SeveralCellsError, file_edit

        try:
            return [file_edit(self._notebook, edit) for edit in edits]
        except SeveralCellsError as error:
            raise CannotBeKeptError("reaches over more than one cell") from error

    def _stretch(self, span: Span) -> tuple[int, int]:
        """Return where a span begins and ends in the text."""
        return self._starts[span.line - 1] + span.column - 1, self._starts[span.end_line - 1] + span.end_column - 1

    def _newline(self, line: int) -> str:
        """Return how a line ends; the last one ends as the others do."""
        around = self._newlines[line - 1 : line] or self._newlines[-1:]
        return around[0] if around else "\n"
