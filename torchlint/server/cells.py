"""A notebook that is open in an editor: each of its cells is a text by itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lsprotocol import types as lsp

from torchlint.finding import Edit, Span
from torchlint.notebook.edits import SeveralCellsError, cell_edit
from torchlint.notebook.layout import Notebook
from torchlint.server.document import Buffer
from torchlint.server.text import Text, edits_between
from torchlint.source import UnreadableSourceError, read_source

_PYTHON = "python"


@dataclass(frozen=True, slots=True)
class OpenCell:
    """A cell in the editor; `language` is that of its code, empty if it is no code."""

    uri: str
    version: int | None
    text: Text
    language: str


@dataclass(frozen=True)
class OpenNotebook:
    """A `Document` of several buffers: its program is that of all code cells in order."""

    uri: str
    path: Path
    cells: tuple[OpenCell, ...]

    @cached_property
    def data(self) -> bytes:
        """Return the bytes of a minimal notebook with the cells."""
        cells = [
            {
                "cell_type": "code" if cell.language else "markdown",
                "metadata": {"vscode": {"languageId": cell.language}} if cell.language != _PYTHON else {},
                "source": cell.text.plain,
            }
            for cell in self.cells
        ]
        return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()

    @cached_property
    def _read(self) -> tuple[str, Notebook]:
        try:
            source = read_source(str(self.path), self.data)
        except UnreadableSourceError:
            return "", Notebook(())
        return source.text, source.notebook or Notebook(())

    @property
    def program(self) -> str:
        """Return the code of all cells."""
        return self._read[0]

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """Return the cells with Python code."""
        return tuple(_buffer(cell) for cell in self.cells if cell.language == _PYTHON)

    def location(self, span: Span) -> lsp.Location:
        """Return where a span stands in its cell."""
        where = self._read[1].in_cell(span)
        cell = self.cells[where.cell - 1]
        return lsp.Location(cell.uri, cell.text.range(where.span))

    def place(self, uri: str, position: lsp.Position) -> tuple[int, int] | None:
        """Return a position in a cell as a line and a column of the program; None in cells that are no part of it."""
        open_cell = next((cell for cell in self.cells if cell.uri == uri), None)
        read = {self.cells[cell.number - 1].uri: cell for cell in self._read[1].cells}
        if open_cell is None or uri not in read:
            return None
        line, column = open_cell.text.place(position)
        return read[uri].first + line - 1, column

    def text_edits(self, edits: Iterable[Edit]) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return edits for the editor, by cell; none if one spans several cells."""
        by_cell: dict[int, list[Edit]] = {}
        try:
            for edit in edits:
                made = cell_edit(self._read[1], edit)
                by_cell.setdefault(made.cell, []).append(made.edit)
        except SeveralCellsError:
            return {}
        cells = ((self.cells[number - 1], made) for number, made in by_cell.items())
        return {_buffer(cell): cell.text.text_edits(made) for cell, made in cells}

    def text_edits_to(self, data: bytes) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return the edits, by whole lines, that change the cells to those of other bytes."""
        sources = [cell["source"] for cell in json.loads(data)["cells"]]
        found = (
            (cell, cell.text.text_edits(edits_between(cell.text.plain, source)))
            for cell, source in zip(self.cells, sources, strict=True)
        )
        return {_buffer(cell): made for cell, made in found if made}


def _buffer(cell: OpenCell) -> Buffer:
    return Buffer(cell.uri, cell.version)
