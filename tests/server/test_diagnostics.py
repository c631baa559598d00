"""What is sent to an editor, and when."""

from __future__ import annotations

import asyncio
import sys

import pytest
from lsprotocol import types as lsp

from tests.server.editor import Start, abilities

pytestmark = pytest.mark.asyncio

CUDA = "import torch\nmodel = torch.nn.Linear(1, 1).cuda()\n"
CLEAN = "import torch\nmodel = torch.nn.Linear(1, 1)\n"
SAVES = "import torch\n\n\ndef save(model, path):\n    torch.save(model.state_dict(), path)\n"
WRAPS = (
    "import torch\nfrom torch import nn\n\nfrom checkpoint import save\n\n"
    'model = nn.DataParallel(nn.Linear(1, 1))\nsave(model, "a.pt")\n'
)
FAILS = """
import sys
from torchlint import Confidence, Rule, Severity
from torchlint.registry import installed_rules


class Fails(Rule):
    severity, confidence, words = Severity.ERROR, Confidence.HIGH, ("torch",)

    def check(self, file):
        print("not for the protocol")
        raise AttributeError("no such thing")
        yield


installed_rules()["fails"] = Fails
from torchlint.cli import run
sys.exit(run(["server"]))
"""

STOPS = """
import sys
from torchlint.cli import run
from torchlint.engine import linter

linter.FOR_A_RULE = 0
sys.exit(run(["server"]))
"""

BREAKS = """
import sys
from torchlint.cli import run, serving

planned, serving.planned = serving.planned, lambda path: planned(path) if path.name == "train.py" else 1 / 0
sys.exit(run(["server"]))
"""


async def test_a_finding_is_pushed_and_goes_when_it_is_mended_in_the_buffer(start: Start) -> None:
    editor = await start()

    uri = editor.open("train.py", CUDA)
    found = await editor.told(uri)
    editor.type(uri, 2, CLEAN)
    mended = await editor.told(uri)

    (one,) = found.diagnostics
    assert (one.code, one.source, one.severity) == ("hardcoded-cuda", "torchlint", lsp.DiagnosticSeverity.Warning)
    assert one.range == lsp.Range(lsp.Position(1, 8), lsp.Position(1, 36))
    assert (found.version, mended.version, mended.diagnostics) == (1, 2, [])


async def test_the_code_leads_to_the_page_of_the_rule_where_the_editor_follows_it(start: Start) -> None:
    plain, linking = await start(), await start(abilities(links=True))
    (unlinked,) = (await plain.told(plain.open("train.py", CUDA))).diagnostics
    (by_file,) = (await linking.told(linking.open("train.py", CUDA))).diagnostics

    linking.write("torchlint.toml", 'site = "https://docs.company.com/torchlint"\n')
    (by_site,) = (await linking.told(linking.open("other.py", CUDA))).diagnostics

    assert unlinked.code_description is None
    assert by_file.code_description is not None
    assert by_file.code_description.href.startswith("file://")
    assert by_file.code_description.href.endswith("rules/device/hardcoded_cuda.py")
    assert by_site.code_description == lsp.CodeDescription(
        "https://docs.company.com/torchlint/rules/hardcoded-cuda.html"
    )


async def test_the_model_sees_files_on_disk_and_the_story_leads_there(start: Start) -> None:
    editor = await start()
    editor.write("train.py", WRAPS)
    editor.write("checkpoint.py", "def save(model, path): ...\n")

    found = await editor.told(editor.open("checkpoint.py", SAVES))

    (one,) = (one for one in found.diagnostics if one.code == "wrapped-state-dict")
    assert one.related_information
    assert one.related_information[0].message == "wrapped in `DataParallel` here"
    assert one.related_information[0].location.uri == editor.uri("train.py")
    assert one.related_information[0].location.range.start == lsp.Position(5, 8)


async def test_other_buffers_are_read_as_they_are_in_the_editor(start: Start) -> None:
    editor = await start()
    editor.write("train.py", WRAPS)
    editor.write("checkpoint.py", "def save(model, path): ...\n")
    uri = editor.open("checkpoint.py", SAVES)
    before = await editor.told(uri)

    other = editor.open("train.py", "")
    await editor.told(other)
    after = await editor.told(uri)

    assert before.rules == ["wrapped-state-dict"]
    assert after.diagnostics == []


async def test_an_editor_that_pulls_is_pushed_nothing(start: Start) -> None:
    editor = await start(abilities(pulls=True))

    uri = editor.open("train.py", CUDA)
    found = await editor.pull(uri)
    editor.type(uri, 2, CLEAN)
    mended = await editor.pull(uri)

    assert [one.code for one in found] == ["hardcoded-cuda"]
    assert mended == []
    assert editor.published.empty()


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 22), ("utf-16", 19), ("utf-32", 18)])
async def test_columns_are_counted_in_the_units_of_the_editor(start: Start, encoding: str, column: int) -> None:
    editor = await start(abilities(encodings=(encoding,)))
    text = 'import torch\r\nx = "é🎉"; model = torch.nn.Linear(1, 1).cuda()\r\n'

    found = await editor.told(editor.open("train.py", text))

    (one,) = found.diagnostics
    end = column + len("torch.nn.Linear(1, 1).cuda()")
    assert one.range == lsp.Range(lsp.Position(1, column), lsp.Position(1, end))


async def test_an_editor_that_says_nothing_of_units_counts_in_utf_16(start: Start) -> None:
    editor = await start()

    found = await editor.told(editor.open("train.py", '# \f é\nimport torch\n"🎉", torch.zeros(1).cuda()\n'))

    assert found.diagnostics[0].range.start == lsp.Position(2, 6)


async def test_columns_are_right_whatever_encoding_the_file_declares(start: Start) -> None:
    editor = await start()

    found = await editor.told(editor.open("a.py", '# coding: latin-1\nimport torch\n"éé", torch.zeros(1).cuda()\n'))

    assert found.diagnostics[0].range.start == lsp.Position(2, 6)


async def test_who_types_is_told_of_what_is_there_in_the_end(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", CLEAN)
    await editor.told(uri)

    for version in range(2, 12):
        editor.type(uri, version, CUDA if version % 2 else CLEAN)
    found = await editor.told(uri)

    assert (found.version, found.rules) == (11, ["hardcoded-cuda"])


async def test_what_python_cannot_parse_is_a_diagnostic(start: Start) -> None:
    editor = await start()

    found = await editor.told(editor.open("train.py", "x = (1,\n"))

    assert [(one.code, one.message) for one in found.diagnostics] == [("unreadable-source", "'(' was never closed")]


async def test_a_comment_that_ignores_nothing_is_faded_out_and_can_be_removed(start: Start) -> None:
    editor = await start()

    uri = editor.open("train.py", "import torch  # torchlint: ignore[kept-graph]\n")
    (one,) = (await editor.told(uri)).diagnostics
    actions = await editor.actions(uri, 0, 40)

    assert (one.code, one.tags) == ("unused-ignore", (lsp.DiagnosticTag.Unnecessary,))
    assert [action.title for action in actions] == ["Remove the comment", "Fix all that torchlint can fix safely"]


async def test_a_closed_file_shows_nothing_any_more(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", CUDA)
    await editor.told(uri)

    editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    assert (await editor.told(uri)).diagnostics == []


async def test_a_buffer_without_a_name_is_linted(start: Start) -> None:
    editor = await start()
    uri = "untitled:Untitled-1"

    item = lsp.TextDocumentItem(uri, "python", 1, CUDA)
    editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    assert (await editor.told(uri)).rules == ["hardcoded-cuda"]


async def test_a_rule_that_fails_is_logged_and_costs_nothing_else(start: Start) -> None:
    editor = await start(None, sys.executable, "-c", FAILS)

    uri = editor.open("train.py", CUDA)
    found = await editor.told(uri)
    editor.type(uri, 2, CLEAN)
    again = await editor.told(uri)

    assert found.rules == ["hardcoded-cuda"]
    assert again.diagnostics == []
    (logged,) = editor.client.log_messages
    assert logged.type is lsp.MessageType.Error
    assert logged.message.startswith("rule `fails` failed on train.py (AttributeError: no such thing")


async def test_rules_that_are_stopped_are_logged(start: Start) -> None:
    editor = await start(None, sys.executable, "-c", STOPS)

    found = await editor.told(editor.open("train.py", CUDA))

    assert found.diagnostics == []
    (logged,) = editor.client.log_messages
    assert logged.message.startswith("train.py: `")
    assert logged.message.endswith("too many steps to follow; what they would report there is unknown")


async def test_what_breaks_the_server_itself_is_logged_and_costs_no_other_file(start: Start) -> None:
    editor = await start(None, sys.executable, "-c", BREAKS)

    uri = editor.open("train.py", CUDA)
    editor.open("other.py", CUDA)
    found = await editor.told(uri)

    (logged,) = editor.client.log_messages
    assert "other.py: this is a bug in torchlint" in logged.message
    assert logged.message.endswith("ZeroDivisionError: division by zero")
    assert found.rules == ["hardcoded-cuda"]


async def test_the_configuration_is_read_again_when_it_changes(start: Start) -> None:
    editor = await start(abilities(watches=True))
    uri = editor.open("train.py", CUDA)
    before = await editor.told(uri)

    path = editor.write("torchlint.toml", 'ignore = ["hardcoded-cuda"]\n')
    event = lsp.FileEvent(path.as_uri(), lsp.FileChangeType.Created)
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
    after = await editor.told(uri)

    assert editor.registered == [lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES]
    assert before.rules == ["hardcoded-cuda"]
    assert after.diagnostics == []


async def test_an_editor_that_pulls_is_asked_to_pull_again(start: Start) -> None:
    editor = await start(abilities(pulls=True, watches=True))
    editor.write("checkpoint.py", SAVES)
    uri = editor.open("checkpoint.py", SAVES)
    before = await editor.pull(uri)

    path = editor.write("train.py", WRAPS)
    event = lsp.FileEvent(path.as_uri(), lsp.FileChangeType.Created)
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
    after = await editor.pull(uri)
    while not editor.client.diagnostic_refresh_count:
        await asyncio.sleep(0.05)

    assert before == []
    assert [one.code for one in after] == ["wrapped-state-dict"]


async def test_a_mistake_in_the_configuration_is_told_and_ends_nothing(start: Start) -> None:
    editor = await start()
    path = editor.write("torchlint.toml", 'selec = ["sync"]\n')
    uri = editor.open("train.py", CUDA)
    refused = await editor.told(uri)

    path.write_text('select = ["device"]\n')
    editor.type(uri, 2, CUDA)
    found = await editor.told(uri)

    (shown,) = editor.client.messages
    assert shown.type is lsp.MessageType.Error
    assert "unknown key `selec`; did you mean `select`?" in shown.message
    assert refused.diagnostics == []
    assert found.rules == ["hardcoded-cuda"]


async def test_excluded_files_are_left_alone(start: Start) -> None:
    editor = await start()
    editor.write("torchlint.toml", 'exclude = ["third_party/"]\n')

    found = await editor.told(editor.open("third_party/train.py", CUDA))

    assert found.diagnostics == []


WAITS = """\
import torch


def train(model, loader, optimizer):
    for batch in loader:
        loss = model(batch.cuda(non_blocking=True)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss)
        print(loss.max().item())
        if loss.sum() > 3:
            break
"""
_WAITING = ["tensor-print-in-training-loop", "item-in-training-loop", "tensor-branch-in-training-loop"]


async def test_waits_of_one_loop_are_one_diagnostic_that_leads_to_the_others(start: Start) -> None:
    editor = await start()

    found = await editor.told(editor.open("train.py", WAITS))

    (one,) = (one for one in found.diagnostics if one.code in _WAITING)
    assert (one.code, one.range.start) == (_WAITING[0], lsp.Position(9, 8))
    assert "as do 2 more places in the loop (lines 11, 12); " in one.message
    story = [(step.location.range.start.line, step.message.partition(";")[0]) for step in one.related_information or ()]
    assert story == [
        (4, "this loop trains"),
        (10, "`loss.max().item()` makes the host wait for the GPU in every step"),
        (11, "`loss.sum() > 3` makes the host wait for the GPU in every step"),
    ]


async def test_a_project_can_have_a_diagnostic_for_each_wait(start: Start) -> None:
    editor = await start()
    editor.write("torchlint.toml", "group = false\n")

    found = await editor.told(editor.open("train.py", WAITS))

    assert [code for code in found.rules if code in _WAITING] == _WAITING


async def test_what_is_shown_with_another_finding_can_be_ignored_where_it_stands(start: Start) -> None:
    editor = await start()
    uri = editor.open("train.py", WAITS)
    (one,) = (one for one in (await editor.told(uri)).diagnostics if one.code in _WAITING)

    first = await editor.actions(uri, 9, 10)
    second = await editor.actions(uri, 11, 12)

    (ignored,), (other,) = first, second
    assert (ignored.title, list(ignored.diagnostics or ())) == (f"Ignore `{_WAITING[0]}` on this line", [one])
    assert (other.title, other.diagnostics) == (f"Ignore `{_WAITING[2]}` on this line", None)
