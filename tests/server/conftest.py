"""Start the server in a project of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest_asyncio
from lsprotocol import types as lsp

from tests.server.editor import SERVER, Editor, Start, abilities, editor_in


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Return what starts an editor in an empty project."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".git").mkdir()
    async with AsyncExitStack() as stack:

        async def started(capabilities: lsp.ClientCapabilities | None = None, *command: str) -> Editor:
            return await stack.enter_async_context(editor_in(folder, capabilities or abilities(), command or SERVER))

        yield started
