"""The client's capabilities."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types as lsp


@dataclass(frozen=True, slots=True)
class Client:
    """The capabilities of an editor that change what it receives."""

    pulls: bool = False
    refreshes: bool = False
    tells_stories: bool = False
    links_codes: bool = False
    resolves_edits: bool = False
    knows_versions: bool = False
    watches_files: bool = False


def client_of(capabilities: lsp.ClientCapabilities) -> Client:
    """Return the capabilities of an editor."""
    texts = capabilities.text_document or lsp.TextDocumentClientCapabilities()
    workspace = capabilities.workspace or lsp.WorkspaceClientCapabilities()
    actions, published = texts.code_action, texts.publish_diagnostics
    return Client(
        pulls=texts.diagnostic is not None,
        refreshes=bool(workspace.diagnostics and workspace.diagnostics.refresh_support),
        tells_stories=bool(
            (published and published.related_information) or (texts.diagnostic and texts.diagnostic.related_information)
        ),
        links_codes=bool(
            (published and published.code_description_support)
            or (texts.diagnostic and texts.diagnostic.code_description_support)
        ),
        resolves_edits=bool(
            actions
            and actions.data_support
            and actions.resolve_support
            and "edit" in actions.resolve_support.properties
        ),
        knows_versions=bool(workspace.workspace_edit and workspace.workspace_edit.document_changes),
        watches_files=bool(
            workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration
        ),
    )
