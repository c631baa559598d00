"""A Python file that is open in an editor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lsprotocol import types as lsp

from torchlint.finding import Edit, Span
from torchlint.server.document import Buffer
from torchlint.server.text import Text, edits_between
from torchlint.source import UnreadableSourceError, read_source


@dataclass(frozen=True)
class OpenFile:
    """A `Document` that is a buffer by itself."""

    uri: str
    path: Path
    version: int | None
    text: Text

    @cached_property
    def data(self) -> bytes:
        """Return the bytes that the editor would save, in the encoding that they declare."""
        # A lone surrogate is no text: its replacement keeps the columns.
        data = self.text.text.encode("utf-8", "replace")
        try:
            encoding = read_source(str(self.path), data).encoding
        except UnreadableSourceError:
            return data
        return data if encoding.startswith("utf-8") else self.text.text.encode(encoding, "replace")

    @property
    def program(self) -> str:
        """Return the text, with neither BOM nor newlines of other kinds."""
        return self.text.plain

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """Return the file itself."""
        return (Buffer(self.uri, self.version),)

    def location(self, span: Span) -> lsp.Location:
        """Return the location of a span."""
        return lsp.Location(self.uri, self.text.range(span))

    def place(self, _: str, position: lsp.Position) -> tuple[int, int]:
        """Return a position as a line and a column."""
        return self.text.place(position)

    def text_edits(self, edits: Iterable[Edit]) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return edits as edits for the editor."""
        made = self.text.text_edits(edits)
        return {self.buffers[0]: made} if made else {}

    def text_edits_to(self, data: bytes) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return the edits, by whole lines, that change the bytes of the file to others."""
        return self.text_edits(edits_between(self.program, read_source(str(self.path), data).text))
