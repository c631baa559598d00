"""What an editor has open, as it is there: saved or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from lsprotocol import types as lsp
from pygls.uris import to_fs_path, uri_scheme, urlparse

from torchlint.finding import Edit, Span
from torchlint.server.text import Text, edits_between
from torchlint.source import UnreadableSourceError, read_source

_UNTITLED = "untitled"


@dataclass(frozen=True, slots=True)
class Buffer:
    """What an editor makes edits in, and the version of it that they are meant for."""

    uri: str
    version: int | None


@dataclass(frozen=True)
class Document:
    """A file as the editor has it."""

    uri: str
    path: Path
    version: int | None
    text: Text

    @cached_property
    def data(self) -> bytes:
        """Return the bytes that the editor would save, in the encoding that they declare."""
        # Half a surrogate pair is no text: what stands for it keeps the columns.
        data = self.text.text.encode("utf-8", "replace")
        try:
            encoding = read_source(str(self.path), data).encoding
        except UnreadableSourceError:
            return data
        return data if encoding.startswith("utf-8") else self.text.text.encode(encoding, "replace")

    @property
    def program(self) -> str:
        """Return the text as torchlint counts its lines and columns."""
        return self.text.plain

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """Return what the editor shows findings in."""
        return (Buffer(self.uri, self.version),)

    def location(self, span: Span) -> lsp.Location:
        """Return where a span stands in the editor."""
        return lsp.Location(self.uri, self.text.range(span))

    def place(self, _: str, position: lsp.Position) -> tuple[int, int]:
        """Return a position in a buffer as a line and a column of the program."""
        return self.text.place(position)

    def text_edits(self, edits: Iterable[Edit]) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return edits as the editor makes them."""
        made = [lsp.TextEdit(self.text.range(edit.span), self.text.spelled(edit.text)) for edit in edits]
        return {self.buffers[0]: made} if made else {}

    def text_edits_to(self, data: bytes) -> Mapping[Buffer, list[lsp.TextEdit]]:
        """Return the edits that make other bytes of those of the file."""
        return self.text_edits(edits_between(self.program, read_source(str(self.path), data).text))


class Documents:
    """The files that an editor has open, by their URIs."""

    def __init__(self, encoding: str, documents: Iterable[Document] = ()) -> None:
        self._encoding = encoding
        self._open = {document.uri: document for document in documents}

    def as_they_are(self) -> Documents:
        """Return the files as they are now, whatever happens in the editor from now on."""
        return Documents(self._encoding, self._open.values())

    def newest_first(self) -> list[Document]:
        """Return the files, those first that were changed last."""
        return [*reversed(self._open.values())]

    def opened(self, item: lsp.TextDocumentItem) -> None:
        """Take a file for what the editor has of it, not for what is on disk."""
        if (path := _path(item.uri)) is not None:
            self._open[item.uri] = Document(item.uri, path, item.version, Text(item.text, self._encoding))

    def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Make the changes that were made in the editor."""
        if (document := self._open.get(params.text_document.uri)) is not None:
            text = document.text.changed(params.content_changes)
            self.closed(document.uri)
            self._open[document.uri] = Document(document.uri, document.path, params.text_document.version, text)

    def closed(self, uri: str) -> None:
        """Take a file for what is on disk again."""
        self._open.pop(uri, None)

    def at(self, uri: str) -> Document | None:
        """Return the file that a URI stands for, if it is open."""
        return self._open.get(uri)

    def holding(self, path: Path) -> Document | None:
        """Return the open file that lies at a path."""
        return next((one for one in self._open.values() if one.path == path), None)

    def around(self, root: Path) -> Mapping[Path, bytes]:
        """Return the bytes of the files below a root that are open."""
        return {one.path: one.data for one in self._open.values() if one.path.is_relative_to(root)}


def _path(uri: str) -> Path | None:
    """Return where a file lies, or would if it were saved where the server runs; None for what no file is."""
    if (place := to_fs_path(uri)) is not None:
        return Path(place)
    if uri_scheme(uri) != _UNTITLED:
        return None
    name = PurePosixPath(urlparse(uri)[2]).name
    return Path.cwd() / (name if name.endswith(".py") else f"{name}.py")
