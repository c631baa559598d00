"""The server: which messages of the protocol it handles, and how."""

from __future__ import annotations

import sys

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from torchlint import __version__
from torchlint.server.actions import KINDS
from torchlint.server.commands import take_commands
from torchlint.server.diagnostics import NAME
from torchlint.server.editor import end_with
from torchlint.server.hover import hover
from torchlint.server.malformed import answer_in_one_line
from torchlint.server.plan import Planner
from torchlint.server.protocol import Protocol
from torchlint.server.session import Session
from torchlint.server.watching import watch

_CELLS = lsp.NotebookDocumentFilterWithNotebook("*", [lsp.NotebookCellLanguage("python")])


def serve(planner: Planner) -> None:
    """Serve the editor at the other end of stdin and stdout."""
    stdout = sys.stdout.buffer
    # Any output to stdout would break the protocol.
    sys.stdout = sys.stderr
    answer_in_one_line()
    language_server(planner).start_io(sys.stdin.buffer, stdout)


def language_server(planner: Planner) -> LanguageServer:
    """Return a server that lints with a planner; it starts with the client's `initialize`."""
    cells = lsp.NotebookDocumentSyncOptions([_CELLS])
    server = LanguageServer(NAME, __version__, protocol_cls=Protocol, notebook_document_sync=cells)
    sessions: list[Session] = []

    @server.feature(lsp.INITIALIZE)
    def begin(params: lsp.InitializeParams) -> None:
        end_with(params.process_id)
        sessions.append(Session(server, planner, params.capabilities))

    @server.feature(lsp.INITIALIZED)
    async def go_on(_: lsp.InitializedParams) -> None:
        if sessions[-1].client.watches_files:
            await watch(server)

    _take_changes(server, sessions)
    _take_notebooks(server, sessions)
    _answer(server, sessions)
    take_commands(server, sessions)
    return server


def _take_changes(server: LanguageServer, sessions: list[Session]) -> None:
    """Handle changes of files in the editor, and on disk."""

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        sessions[-1].documents.opened(params.text_document)
        sessions[-1].stir()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        sessions[-1].documents.changed(params)
        sessions[-1].stir(is_typing=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(_: lsp.DidSaveTextDocumentParams) -> None:
        # An editor that does not watch files may not report changes of others.
        if not sessions[-1].client.watches_files:
            await sessions[-1].changed_on_disk()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        sessions[-1].closed(params.text_document.uri)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def changed_on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
        # Open files have the editor's contents, whatever is on disk.
        if any(sessions[-1].documents.at(event.uri) is None for event in params.changes):
            await sessions[-1].changed_on_disk()


def _take_notebooks(server: LanguageServer, sessions: list[Session]) -> None:
    """Handle changes of notebooks in the editor."""

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenNotebookDocumentParams) -> None:
        sessions[-1].documents.notebook_opened(params)
        sessions[-1].stir()

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeNotebookDocumentParams) -> None:
        notebook = server.workspace.get_notebook_document(notebook_uri=params.notebook_document.uri)
        sessions[-1].documents.notebook_changed(params, notebook.cells if notebook else ())
        sessions[-1].stir(is_typing=True)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseNotebookDocumentParams) -> None:
        sessions[-1].closed(params.notebook_document.uri)


def _answer(server: LanguageServer, sessions: list[Session]) -> None:
    """Handle the requests of the editor."""

    @server.feature(
        lsp.TEXT_DOCUMENT_DIAGNOSTIC,
        lsp.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier=NAME),
    )
    async def diagnose(params: lsp.DocumentDiagnosticParams) -> lsp.RelatedFullDocumentDiagnosticReport:
        await sessions[-1].quiet.wait()
        uri = params.text_document.uri
        return lsp.RelatedFullDocumentDiagnosticReport((await sessions[-1].diagnostics(uri)).get(uri, []))

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[*KINDS], resolve_provider=True)
    )
    async def offer(params: lsp.CodeActionParams) -> list[lsp.CodeAction] | None:
        uri = params.text_document.uri
        return await sessions[-1].about(uri, lambda checked, actions: actions.offered(checked, params))

    @server.feature(lsp.CODE_ACTION_RESOLVE)
    async def resolve(action: lsp.CodeAction) -> lsp.CodeAction:
        if isinstance(action.data, dict) and isinstance(uri := action.data.get("uri"), str):
            action.edit = await sessions[-1].about(uri, lambda checked, actions: actions.edit_for_all(checked))
        return action

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def tell(params: lsp.HoverParams) -> lsp.Hover | None:
        uri, position = params.text_document.uri, params.position
        return await sessions[-1].about(uri, lambda checked, _: hover(checked, uri, position))
