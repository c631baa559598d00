"""Commands that an editor can run by name, from a menu or a key."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from torchlint import __version__
from torchlint.server.session import Session

FIX = "torchlint.applyAutofix"
DEBUG = "torchlint.printDebugInformation"


def take_commands(server: LanguageServer, sessions: Sequence[Session]) -> None:
    """Register the commands."""

    @server.command(FIX)
    async def fix(*words: object) -> None:
        for uri in _uris(words):
            edit = await sessions[-1].about(uri, lambda checked, actions: actions.edit_for_all(checked))
            if edit is not None and (edit.changes or edit.document_changes):
                label = "Fix all that torchlint can fix safely"
                await server.workspace_apply_edit_async(lsp.ApplyWorkspaceEditParams(edit, label))

    @server.command(DEBUG)
    def tell(*_: object) -> str:
        text = "\n".join(_facts(sessions[-1]))
        server.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, text))
        return text


def _uris(words: Iterable[object]) -> Iterator[str]:
    """Yield the files of a command: each is named by its URI, or by a document identifier."""
    for word in words:
        uri = word.get("uri") if isinstance(word, dict) else word
        if isinstance(uri, str):
            yield uri


def _facts(session: Session) -> Iterator[str]:
    """Yield the facts for a bug report, without any contents of files."""
    yield f"torchlint {__version__}, pygls {version('pygls')}, Python {platform.python_version()}"
    yield f"{platform.system()} {platform.machine()}"
    yield f"position encoding: {session.encoding}"
    yield f"open files: {len([*session.documents.newest_first()])}"
    yield f"{session.client}"
