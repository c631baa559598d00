"""The interface of a file that is open in an editor, a Python file or a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lsprotocol import types as lsp

from torchlint.finding import Edit, Span


@dataclass(frozen=True, slots=True)
class Buffer:
    """A text in the editor, and its version; of a notebook, each cell is one."""

    uri: str
    version: int | None


class Document(Protocol):
    """A file as the editor has it, saved or not; torchlint's lines and columns are those of its program."""

    @property
    def uri(self) -> str:
        """Its URI in the editor."""
        ...

    @property
    def path(self) -> Path:
        """Its path, even if it is not saved yet."""
        ...

    @property
    def data(self) -> bytes:
        """The bytes that the editor would save, as far as torchlint reads them."""
        ...

    @property
    def program(self) -> str:
        """The code of it."""
        ...

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """The texts in which the editor shows findings."""
        ...

    def location(self, span: Span) -> lsp.Location:
        """Return where a span of the program stands in the editor."""
        ...

    def place(self, uri: str, position: lsp.Position) -> tuple[int, int] | None:
        """Return a position in a buffer as a line and a column of the program, if it is in there."""
        ...

    def text_edits(self, edits: Iterable[Edit]) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return edits of the program as edits for the editor; none if they cannot be made there."""
        ...

    def text_edits_to(self, data: bytes) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return the edits that change its contents to other bytes."""
        ...
