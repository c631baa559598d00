"""An editor: it starts the server as editors do, and talks to it as they do."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from lsprotocol import types as lsp
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient

SERVER = (sys.executable, "-m", "torchlint", "server")
_CHECKOUT = Path(__file__).parents[2]
_PATIENCE = 60.0
_RESOLVES = lsp.CodeActionClientCapabilities(
    data_support=True, resolve_support=lsp.ClientCodeActionResolveOptions(["edit"])
)
_REFRESHES = lsp.DiagnosticWorkspaceClientCapabilities(refresh_support=True)


@dataclass(frozen=True, slots=True)
class Told:
    """What a server says of a version of a file."""

    version: int | None
    diagnostics: list[lsp.Diagnostic]

    @property
    def rules(self) -> list[str]:
        """Return the names of the rules that have found something."""
        return [str(one.code) for one in self.diagnostics]


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor with a project open in it."""

    client: LanguageClient
    folder: Path
    published: asyncio.Queue[lsp.PublishDiagnosticsParams]
    registered: list[str]
    applied: list[lsp.WorkspaceEdit]

    def uri(self, name: str) -> str:
        """Return the URI of a file of the project."""
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> str:
        """Open a file with a text, which need not be on disk, and return its URI."""
        uri = self.uri(name)
        item = lsp.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return uri

    def write(self, name: str, text: str) -> Path:
        """Write a file to disk, which the editor has not open."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def type(self, uri: str, version: int, text: str) -> None:
        """Replace the text of an open file."""
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        identifier = lsp.VersionedTextDocumentIdentifier(version, uri)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))

    async def told(self, uri: str) -> Told:
        """Return what is sent next for a file."""
        while True:
            params = await asyncio.wait_for(self.published.get(), _PATIENCE)
            if params.uri == uri:
                return Told(params.version, [*params.diagnostics])

    async def pull(self, uri: str) -> list[lsp.Diagnostic]:
        """Return the diagnostics of a file, asked for."""
        params = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(uri))
        report = await asyncio.wait_for(self.client.text_document_diagnostic_async(params), _PATIENCE)
        assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
        return [*report.items]

    async def actions(
        self, uri: str, line: int, column: int, only: list[lsp.CodeActionKind | str] | None = None
    ) -> list[lsp.CodeAction]:
        """Return what is offered at a position."""
        here = lsp.Range(lsp.Position(line, column), lsp.Position(line, column))
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), here, lsp.CodeActionContext([], only))
        found = await asyncio.wait_for(self.client.text_document_code_action_async(params), _PATIENCE)
        return [action for action in found or () if isinstance(action, lsp.CodeAction)]

    async def execute(self, command: str, *words: object) -> object:
        """Have the server carry out a command, and return what it answers."""
        params = lsp.ExecuteCommandParams(command, [*words])
        return await asyncio.wait_for(self.client.workspace_execute_command_async(params), _PATIENCE)

    async def hover(self, uri: str, line: int, column: int) -> str:
        """Return what is shown where the mouse rests; empty where nothing is."""
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(line, column))
        shown = await asyncio.wait_for(self.client.text_document_hover_async(params), _PATIENCE)
        if shown is None:
            return ""
        assert isinstance(shown.contents, lsp.MarkupContent)
        assert shown.contents.kind is lsp.MarkupKind.Markdown
        return shown.contents.value


Start: TypeAlias = Callable[..., Awaitable[Editor]]


def abilities(
    *,
    pulls: bool = False,
    versions: bool = True,
    resolves: bool = False,
    watches: bool = False,
    links: bool = False,
    encodings: tuple[str, ...] = (),
) -> lsp.ClientCapabilities:
    """Return what an editor says that it can do."""
    watched = lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=watches)
    return lsp.ClientCapabilities(
        workspace=lsp.WorkspaceClientCapabilities(
            workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=versions),
            did_change_watched_files=watched,
            diagnostics=_REFRESHES,
        ),
        text_document=lsp.TextDocumentClientCapabilities(
            publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(
                related_information=True, code_description_support=links
            ),
            diagnostic=lsp.DiagnosticClientCapabilities(related_information=True) if pulls else None,
            code_action=_RESOLVES if resolves else None,
        ),
        general=lsp.GeneralClientCapabilities(position_encodings=encodings or None),
        notebook_document=lsp.NotebookDocumentClientCapabilities(lsp.NotebookDocumentSyncClientCapabilities()),
    )


def _listen(editor: Editor) -> None:
    """Take what a server says."""
    client = editor.client

    def refresh(_: None) -> None:
        client.diagnostic_refresh_count += 1

    def apply(params: lsp.ApplyWorkspaceEditParams) -> lsp.ApplyWorkspaceEditResult:
        editor.applied.append(params.edit)
        return lsp.ApplyWorkspaceEditResult(applied=True)

    def register(params: lsp.RegistrationParams) -> None:
        editor.registered.extend(one.method for one in params.registrations)

    for method, take in (
        (lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, lambda params: editor.published.put_nowait(params)),
        (lsp.WINDOW_LOG_MESSAGE, lambda params: client.log_messages.append(params)),
        (lsp.WINDOW_SHOW_MESSAGE, lambda params: client.messages.append(params)),
        (lsp.WORKSPACE_DIAGNOSTIC_REFRESH, refresh),
        (lsp.CLIENT_REGISTER_CAPABILITY, register),
        (lsp.WORKSPACE_APPLY_EDIT, apply),
    ):
        client.feature(method)(take)


@asynccontextmanager
async def editor_in(
    folder: Path, capabilities: lsp.ClientCapabilities, command: Sequence[str]
) -> AsyncIterator[Editor]:
    """Start a server for a folder, and end it as the protocol says."""
    client = LanguageClient(converter_factory=default_converter)
    editor = Editor(client, folder, asyncio.Queue(), [], [])
    _listen(editor)
    await client.start_io(*command, cwd=folder, env=os.environ | {"PYTHONPATH": str(_CHECKOUT)})
    params = lsp.InitializeParams(capabilities, root_uri=folder.as_uri())
    await asyncio.wait_for(client.initialize_session(params), _PATIENCE)
    try:
        yield editor
    finally:
        await asyncio.wait_for(client.shutdown_session(), _PATIENCE)
        await client.stop()  # type: ignore[no-untyped-call]
