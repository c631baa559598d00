"""The tools for programming agents, as the client of the protocol's own SDK calls them."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent

from torchlint.cli import serving
from torchlint.errors import UsageError

_DEMO = Path(__file__).parents[2] / "fixtures" / "demo-project"
Call = Callable[[str, Mapping[str, object]], CallToolResult]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """Return what calls a tool of a server that runs in a folder with a copy of the demo's training."""
    for name in ("train.py", "model.py", "checkpoint.py", "options.py"):
        (tmp_path / name).write_text((_DEMO / name).read_text("utf-8"), "utf-8")

    def called(tool: str, arguments: Mapping[str, object]) -> CallToolResult:
        return anyio.run(_called, tmp_path, tool, dict(arguments))

    return called


async def _called(folder: Path, tool: str, arguments: dict[str, object]) -> CallToolResult:
    async with Client(stdio_client(_server(folder))) as client:
        return await client.call_tool(tool, arguments)


def _server(folder: Path) -> StdioServerParameters:
    program = shutil.which("torchlint", path=Path(sys.executable).parent)
    assert program is not None
    return StdioServerParameters(command=program, args=["mcp"], cwd=folder)


def text(result: CallToolResult) -> str:
    """Return the text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("lint", {"path": "train.py"}, "`lint` has no argument `path`; it has `paths`, `select`"),
        (
            "fix",
            {"paths": ["train.py"], "write": True},
            "`fix` has no argument `write`; it has `paths`, `select`, `unsafe`",
        ),
    ],
)
def test_an_argument_that_a_tool_does_not_have_is_an_error(
    tool: str, arguments: dict[str, object], words: str, call: Call
) -> None:
    result = call(tool, arguments)

    assert result.is_error
    assert words in text(result)


def test_an_agent_lints_some_files_with_some_rules(call: Call) -> None:
    found = json.loads(text(call("lint", {"paths": ["train.py"], "select": ["kept-graph"]})))

    assert [(one["rule"], one["line"], one["fix"]["applicability"]) for one in found["findings"]] == [
        ("kept-graph", 19, "safe")
    ]


def test_an_agent_lints_the_folder_by_default(call: Call) -> None:
    assert json.loads(text(call("lint", {})))["summary"]["findings"] == 6


def test_an_agent_reads_the_page_of_a_rule(call: Call) -> None:
    (rule,) = json.loads(text(call("explain", {"rule": "kept-graph"})))["rules"]

    assert rule["name"] == "kept-graph"
    assert rule["bad"]


def test_an_agent_sees_fixes_and_nothing_is_written(call: Call, tmp_path: Path) -> None:
    before = (tmp_path / "train.py").read_text()

    shown = text(call("fix", {"paths": ["train.py"]}))

    assert "\n+        total += loss.detach()" in shown
    assert '"cuda:0" if torch.cuda.is_available()' not in shown
    assert '"cuda:0" if torch.cuda.is_available()' in text(call("fix", {"unsafe": True}))
    assert (tmp_path / "train.py").read_text() == before


def test_an_agent_is_told_that_there_is_nothing_to_fix(call: Call, tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("import torch\n")

    assert text(call("fix", {"paths": ["clean.py"]})) == "No fixes to show.\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("lint", {"paths": ["none.py"]}, "error: path does not exist: none.py"),
        ("lint", {"select": ["kept-grph"]}, "did you mean `kept-graph`?"),
        ("explain", {"rule": "--all"}, "unknown rule `--all`"),
    ],
)
def test_what_cannot_be_done_is_an_error_with_the_reason(
    call: Call, tool: str, arguments: Mapping[str, object], said: str
) -> None:
    result = call(tool, arguments)

    assert result.is_error
    assert said in text(result)


def test_a_folder_cannot_bring_its_own_torchlint(call: Call, tmp_path: Path) -> None:
    (tmp_path / "torchlint.py").write_text("raise SystemExit('imported')")

    assert not call("lint", {}).is_error


def test_an_agent_may_verify_a_rule(call: Call) -> None:
    pytest.importorskip("torch")

    (rule,) = json.loads(text(call("verify", {"rules": ["kept-graph"]})))["rules"]

    assert rule["rule"] == "kept-graph"


def test_without_the_sdk_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda _: None)

    with pytest.raises(UsageError, match=r'pip install "torchlint\[mcp\]"'):
        serving.serve_agent()
