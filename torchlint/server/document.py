"""What the server asks of a file that is open in an editor, be it a module or a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lsprotocol import types as lsp

from torchlint.finding import Edit, Span


@dataclass(frozen=True, slots=True)
class Buffer:
    """A text in the editor, and the version of it that something is meant for; of a notebook, each cell is one."""

    uri: str
    version: int | None


class Document(Protocol):
    """A file as the editor has it, saved or not; its program is what torchlint counts the lines and columns of."""

    @property
    def uri(self) -> str:
        """What the editor calls it."""
        ...

    @property
    def path(self) -> Path:
        """Where it lies, or would lie if it were saved."""
        ...

    @property
    def data(self) -> bytes:
        """What the editor would save, as far as torchlint looks at it."""
        ...

    @property
    def program(self) -> str:
        """The code of it."""
        ...

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """What the editor shows findings in."""
        ...

    def location(self, span: Span) -> lsp.Location:
        """Return where a span of the program stands in the editor."""
        ...

    def place(self, uri: str, position: lsp.Position) -> tuple[int, int] | None:
        """Return a position in a buffer as a line and a column of the program, where it is in there."""
        ...

    def text_edits(self, edits: Iterable[Edit]) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return edits of the program as the editor makes them; none where it cannot."""
        ...

    def text_edits_to(self, data: bytes) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return the edits that make other data of it."""
        ...
