"""A session with an editor: its open files, their reports, and when to send them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from torchlint.errors import TorchlintError
from torchlint.report import FileReport
from torchlint.server.actions import Actions
from torchlint.server.bench import Bench
from torchlint.server.client import Client, client_of
from torchlint.server.diagnostics import Diagnostics
from torchlint.server.documents import Documents
from torchlint.server.error_reporter import ErrorReporter
from torchlint.server.plan import Planner
from torchlint.server.projects import Checked, Projects
from torchlint.server.quiet import Quiet
from torchlint.steps import StoppedError

_Made = TypeVar("_Made")


class Session:
    """The state of a server after `initialize`."""

    def __init__(self, server: LanguageServer, planner: Planner, capabilities: lsp.ClientCapabilities) -> None:
        agreed = server.workspace.position_encoding
        encoding = agreed.value if isinstance(agreed, lsp.PositionEncodingKind) else agreed or "utf-16"
        self.client: Client = client_of(capabilities)
        self.documents = Documents(encoding)
        self.quiet = Quiet(self._publish)
        self.encoding = encoding
        self._server = server
        self._telling = ErrorReporter(server)
        self._projects = Projects(planner)
        self._bench = Bench(self._projects.tidy)

    def stir(self, *, is_typing: bool = False) -> None:
        """Check everything that is open again after a change; what is linted now is out of date."""
        self._projects.stop()
        if not self.client.pulls:
            self.quiet.stir(is_typing=is_typing)
        elif is_typing:
            self.quiet.hush()

    def closed(self, uri: str) -> None:
        """Clear the diagnostics of a closed file."""
        document = self.documents.at(uri)
        self.documents.closed(uri)
        if document is not None and not self.client.pulls:
            for buffer in document.buffers:
                self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(buffer.uri, []))
        self.stir()

    async def changed_on_disk(self) -> None:
        """Check all files again, and have the editor request what is open."""
        await self._bench.done(self._projects.forget)
        self.stir()
        if self.client.pulls and self.client.refreshes:
            await self._server.workspace_diagnostic_refresh_async(None)

    async def about(self, uri: str, make: Callable[[Checked, Actions], _Made]) -> _Made | None:
        """Return the result of `make` for a file's report; None if there is none."""
        if (document := self.documents.at(uri)) is None:
            return None
        documents = self.documents.as_they_are()

        def made() -> tuple[FileReport, _Made] | None:
            if (checked := self._projects.checked(document, documents)) is None:
                return None
            client = self.client
            diagnostics = Diagnostics(
                documents, self.encoding, tells_stories=client.tells_stories, links=client.links_codes
            )
            return checked.report, make(checked, Actions(self.client, documents, diagnostics))

        try:
            done = await self._bench.done(made)
        except StoppedError:
            await self.quiet.wait()
            return await self.about(uri, make)
        except TorchlintError as error:
            self._telling.refused(error)
            return None
        if done is None:
            return None
        self._telling.linted(done[0])
        return done[1]

    async def diagnostics(self, uri: str) -> Mapping[str, list[lsp.Diagnostic]]:
        """Return the diagnostics of a file, by the URI of their buffer."""
        return await self.about(uri, lambda checked, actions: actions.diagnostics.by_uri(checked)) or {}

    async def _publish(self) -> None:
        for document in self.documents.newest_first():
            try:
                found = await self.diagnostics(document.uri)
            # There is no request to answer with an error: the next change tries again.
            except Exception as error:  # noqa: BLE001
                self._telling.broken(document.path, error)
                continue
            if self.documents.at(document.uri) is not document:
                continue
            for buffer in document.buffers:
                params = lsp.PublishDiagnosticsParams(buffer.uri, found.get(buffer.uri, []), buffer.version)
                self._server.text_document_publish_diagnostics(params)
