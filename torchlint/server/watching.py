"""Have the editor report files that change on disk."""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

# Code that others import, the configuration, and the requirements, which set the target version of PyTorch.
_PATTERNS = (
    "**/*.py",
    "**/*.ipynb",
    "**/{.torchlint,torchlint,pyproject}.toml",
    "**/{requirements*.txt,setup.cfg,setup.py,environment.yml,environment.yaml}",
)


async def watch(server: LanguageServer) -> None:
    """Have the editor watch the files that a report may depend on."""
    watchers = [lsp.FileSystemWatcher(pattern) for pattern in _PATTERNS]
    options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
    method = lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
    registration = lsp.Registration("torchlint-files", method, options)
    await server.client_register_capability_async(lsp.RegistrationParams([registration]))
