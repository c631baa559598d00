"""What an editor can do about findings."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from tests.server.editor import Start, abilities
from torchlint import __version__
from torchlint.server.text import Text

pytestmark = pytest.mark.asyncio

TRAINS = """\
import torch


def train(model, batches, optimizer):
    total = 0.0
    for batch in batches:
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total += loss
    return total
"""
KEEPS = (10, 10)
CUDA = "import torch\r\n\r\nmodel = torch.nn.Linear(1, 1).cuda()\r\n"
_CALL = (2, 12)


def edited(text: str, edit: lsp.WorkspaceEdit | None, uri: str) -> str:
    """Return a text with the edits that a server asks for, made as an editor does: from the last one up."""
    assert edit is not None
    assert edit.document_changes is not None
    (change,) = edit.document_changes
    assert isinstance(change, lsp.TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (uri, 1)
    edits = [one for one in change.edits if isinstance(one, lsp.TextEdit)]
    for one in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
        text = Text(text, "utf-16").changed([lsp.TextDocumentContentChangePartial(one.range, one.new_text)]).text
    return text


async def test_a_safe_fix_is_preferred_and_mends(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", TRAINS)

    fix, ignore, _ = await editor.actions(uri, *KEEPS)

    assert (fix.kind, fix.is_preferred) == (lsp.CodeActionKind.QuickFix, True)
    assert [one.code for one in fix.diagnostics or ()] == ["kept-graph"]
    assert edited(TRAINS, fix.edit, uri) == TRAINS.replace("total += loss\n", "total += loss.detach()\n")
    assert ignore.title == "Ignore `kept-graph` on this line"


async def test_an_unsafe_fix_says_so_and_is_not_preferred(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", CUDA)

    fix, _ = await editor.actions(uri, *_CALL)

    assert (fix.title.endswith(" (unsafe fix)"), fix.is_preferred) == (True, None)
    assert 'torch.device("cuda" if torch.cuda.is_available() else "cpu")\r\n' in edited(CUDA, fix.edit, uri)


async def test_what_is_ignored_is_found_no_more(start: Start) -> None:
    editor = await start(abilities(pulls=True))
    uri = editor.open("train.py", CUDA)

    _, ignore = await editor.actions(uri, *_CALL)
    text = edited(CUDA, ignore.edit, uri)
    editor.type(uri, 2, text)

    assert text == CUDA.replace(".cuda()\r", ".cuda()  # torchlint: ignore[hardcoded-cuda]\r")
    assert await editor.pull(uri) == []


async def test_all_that_is_safe_is_fixed_at_once(start: Start) -> None:
    editor = await start()
    twice = TRAINS + TRAINS.replace("train(", "evaluate(").replace("import torch\n", "")
    uri = editor.open("train.py", twice)

    (action,) = await editor.actions(uri, 0, 0, [lsp.CodeActionKind.SourceFixAll])

    assert action.kind == "source.fixAll.torchlint"
    assert edited(twice, action.edit, uri) == twice.replace("total += loss\n", "total += loss.detach()\n")


async def test_the_edit_of_a_fix_for_all_can_wait(start: Start) -> None:
    editor = await start(abilities(resolves=True))
    uri = editor.open("train.py", TRAINS)

    (action,) = await editor.actions(uri, 0, 0, [lsp.CodeActionKind.SourceFixAll])
    resolved = await editor.client.code_action_resolve_async(action)

    assert action.edit is None
    assert edited(TRAINS, resolved.edit, uri) == TRAINS.replace("total += loss\n", "total += loss.detach()\n")


async def test_only_what_is_asked_for_is_offered(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", TRAINS)

    assert await editor.actions(uri, *KEEPS, [lsp.CodeActionKind.Refactor]) == []
    assert [one.kind for one in await editor.actions(uri, 0, 0)] == ["source.fixAll.torchlint"]


async def test_an_editor_that_knows_no_versions_gets_plain_changes(start: Start) -> None:
    editor = await start(abilities(versions=False))
    uri = editor.open("train.py", TRAINS)

    fix, *_ = await editor.actions(uri, *KEEPS)

    assert fix.edit is not None
    assert fix.edit.document_changes is None
    assert [*(fix.edit.changes or {})] == [uri]


async def test_what_the_configuration_does_not_let_be_fixed_is_not_offered(start: Start) -> None:
    editor = await start()
    editor.write("torchlint.toml", 'unfixable = ["kept-graph"]\n')
    uri = editor.open("train.py", TRAINS)

    found = await editor.actions(uri, *KEEPS)

    assert [action.title for action in found] == ["Ignore `kept-graph` on this line"]


@pytest.mark.parametrize("as_document", [True, False])
async def test_a_command_makes_every_safe_fix(start: Start, as_document: bool) -> None:
    editor = await start()
    uri = editor.open("train.py", TRAINS)

    await editor.execute("torchlint.applyAutofix", {"uri": uri, "version": 1} if as_document else uri)

    (edit,) = editor.applied
    assert edited(TRAINS, edit, uri) == TRAINS.replace("total += loss\n", "total += loss.detach()\n")


async def test_a_command_with_nothing_to_fix_changes_nothing(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", CUDA)

    await editor.execute("torchlint.applyAutofix", uri, editor.uri("closed.py"), None)

    assert editor.applied == []


async def test_what_a_report_of_a_bug_should_say_is_printed(start: Start) -> None:
    editor = await start()
    editor.open("train.py", CUDA)

    told = await editor.execute("torchlint.printDebugInformation")

    assert f"torchlint {__version__}, pygls" in str(told)
    assert "open files: 1" in str(told)
    assert CUDA not in str(told)
