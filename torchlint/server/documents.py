"""The open files of an editor, in their current state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from lsprotocol import types as lsp
from pygls.uris import to_fs_path, uri_scheme, urlparse

from torchlint.files.notebook_names import SUFFIX as NOTEBOOK, is_notebook
from torchlint.server.cells import OpenCell, OpenNotebook
from torchlint.server.document import Document
from torchlint.server.plain import OpenFile
from torchlint.server.text import Text

_UNTITLED = "untitled"


class Documents:
    """The files that an editor has open; notebooks are found by the URIs of their cells, too."""

    def __init__(self, encoding: str, documents: Iterable[Document] = ()) -> None:
        self._encoding = encoding
        self._open = {document.uri: document for document in documents}

    def as_they_are(self) -> Documents:
        """Return a copy of the current state, which later changes do not affect."""
        return Documents(self._encoding, self._open.values())

    def newest_first(self) -> list[Document]:
        """Return the files, the last changed first."""
        return [*reversed(self._open.values())]

    def at(self, uri: str) -> Document | None:
        """Return the open file of a URI, or of one of its cells."""
        if uri in self._open:
            return self._open[uri]
        return next((one for one in self._open.values() if any(uri == buffer.uri for buffer in one.buffers)), None)

    def holding(self, path: Path) -> Document | None:
        """Return the open file of a path."""
        return next((one for one in self._open.values() if one.path == path), None)

    def around(self, root: Path) -> Mapping[Path, bytes]:
        """Return the bytes of the files below a root that are open."""
        return {one.path: one.data for one in self._open.values() if one.path.is_relative_to(root)}

    def opened(self, item: lsp.TextDocumentItem) -> None:
        """Use the editor's contents of a file, not those on disk."""
        path = _path(item.uri, ".py")
        # The JSON of a notebook, opened as a text, is no Python.
        if path is not None and not is_notebook(path.name):
            self._keep(OpenFile(item.uri, path, item.version, Text(item.text, self._encoding)))

    def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Apply the changes of a file."""
        if isinstance(one := self._open.get(params.text_document.uri), OpenFile):
            text = one.text.changed(params.content_changes)
            self._keep(OpenFile(one.uri, one.path, params.text_document.version, text))

    def notebook_opened(self, params: lsp.DidOpenNotebookDocumentParams) -> None:
        """Use the editor's contents of a notebook."""
        notebook = params.notebook_document
        if (path := _path(notebook.uri, NOTEBOOK)) is not None:
            cells = self._cells(notebook.cells, {}, params.cell_text_documents)
            self._keep(OpenNotebook(notebook.uri, path, cells))

    def notebook_changed(self, params: lsp.DidChangeNotebookDocumentParams, cells: Iterable[lsp.NotebookCell]) -> None:
        """Apply the changes of a notebook, with its new list of cells."""
        one, change = self._open.get(params.notebook_document.uri), params.change.cells
        if not isinstance(one, OpenNotebook) or change is None:
            return
        known = {cell.uri: cell for cell in one.cells}
        for text in change.text_content or ():
            if (cell := known.get(text.document.uri)) is not None:
                changed = cell.text.changed(text.changes)
                known[cell.uri] = OpenCell(cell.uri, text.document.version, changed, cell.language)
        opened = (change.structure.did_open if change.structure else None) or ()
        self._keep(OpenNotebook(one.uri, one.path, self._cells(cells, known, opened)))

    def closed(self, uri: str) -> None:
        """Use the contents of a file on disk again."""
        self._open.pop(uri, None)

    def _keep(self, document: Document) -> None:
        self._open.pop(document.uri, None)
        self._open[document.uri] = document

    def _cells(
        self,
        cells: Iterable[lsp.NotebookCell],
        known: Mapping[str, OpenCell],
        opened: Iterable[lsp.TextDocumentItem],
    ) -> tuple[OpenCell, ...]:
        """Return cells in order, with the texts that are known or that come with them."""
        code = {cell.document for cell in cells if cell.kind is lsp.NotebookCellKind.Code}
        texts = dict(known)
        for item in opened:
            language = item.language_id if item.uri in code else ""
            texts[item.uri] = OpenCell(item.uri, item.version, Text(item.text, self._encoding), str(language))
        return tuple(texts[cell.document] for cell in cells if cell.document in texts)


def _path(uri: str, suffix: str) -> Path | None:
    """Return the path of a file, or where it would be saved in the server's folder; None for other URIs."""
    if (place := to_fs_path(uri)) is not None:
        return Path(place)
    if uri_scheme(uri) != _UNTITLED:
        return None
    name = PurePosixPath(urlparse(uri)[2]).name
    return Path.cwd() / (name if name.endswith(suffix) else f"{name}{suffix}")
