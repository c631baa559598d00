"""What an editor is told, and when."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from tests.server.editor import Start, abilities

pytestmark = pytest.mark.asyncio

CUDA = "import torch\nmodel = torch.nn.Linear(1, 1).cuda()\n"
CLEAN = "import torch\nmodel = torch.nn.Linear(1, 1)\n"


async def test_a_finding_is_pushed_and_goes_when_it_is_mended_in_the_buffer(start: Start) -> None:
    editor = await start()

    uri = editor.open("train.py", CUDA)
    found = await editor.told(uri)
    editor.type(uri, 2, CLEAN)
    mended = await editor.told(uri)

    (one,) = found.diagnostics
    assert (one.code, one.source, one.severity) == ("hardcoded-cuda", "torchlint", lsp.DiagnosticSeverity.Error)
    assert one.range == lsp.Range(lsp.Position(1, 28), lsp.Position(1, 34))
    assert (found.version, mended.version, mended.diagnostics) == (1, 2, [])
