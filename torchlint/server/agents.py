"""`torchlint mcp`: lint for a programming agent, by the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations

from torchlint import __version__

_INSTRUCTIONS = (
    "torchlint finds mistakes in PyTorch code without running it. Call `lint` after you changed code that uses torch, "
    "`explain` to understand a finding, `fix` to see the edits that torchlint would make."
)
_FAILED = 2
# Not `-m torchlint`: that would import a `torchlint` of the folder that is linted.
_PROGRAM = "import sys; sys.path[:] = filter(None, sys.path); from torchlint.cli import main; main()"
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RUNS = ToolAnnotations(read_only_hint=False, open_world_hint=True)


class _Server(MCPServer[Any]):
    """A server that refuses arguments which its tools do not have; the SDK drops them without a word."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; raises `ToolError` for an argument that it does not have."""
        known = {tool.name: tool.input_schema.get("properties", {}) for tool in await self.list_tools()}
        for argument in arguments if name in known else ():
            if argument not in known[name]:
                raise ToolError(f"`{name}` has no argument `{argument}`; it has {_listed(known[name])}")
        return await super().call_tool(name, arguments, context)


def server() -> MCPServer[Any]:
    """Return the server with its tools, which work in the folder that it was started in."""
    made = _Server("torchlint", instructions=_INSTRUCTIONS, version=__version__)
    for tool in (lint, explain, fix):
        made.tool(annotations=_READS, structured_output=False)(tool)
    made.tool(annotations=_RUNS, structured_output=False)(verify)
    return made


def lint(paths: list[str] | None = None, select: list[str] | None = None) -> str:
    """Find mistakes in PyTorch files and folders; by default in the whole folder.

    Returns JSON: each finding with its rule, place, message, severity, confidence, the trace that led to it, and the
    edits of its fix. `select` names rules and groups to run instead of the default ones.
    """
    return _ran("check", *_selected(select), "--output-format=json", "--", *(paths or ["."]))


def explain(rule: str) -> str:
    """Return the page of a rule as JSON: why it matters, what is not reported, wrong and right programs, the proof."""
    return _ran("explain", "--output-format=json", "--", rule)


def fix(paths: list[str] | None = None, select: list[str] | None = None, unsafe: bool = False) -> str:
    """Return the fixes as a unified diff, and write nothing.

    Safe fixes do not change what a correct program does; with `unsafe` the others are included, to be reviewed.
    """
    extra = ["--unsafe-fixes"] if unsafe else []
    return _ran("check", *_selected(select), "--diff", *extra, "--", *(paths or ["."]))


def verify(rules: list[str]) -> str:
    """Run the programs that prove rules, on real or simulated GPUs, and return what was seen as JSON. Needs torch."""
    return _ran("verify", "--output-format=json", "--", *rules)


def serve() -> None:
    """Serve the agent at the other end of stdin and stdout until it closes them."""
    server().run()


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _selected(names: list[str] | None) -> list[str]:
    return [f"--select={','.join(names)}"] if names else []


def _ran(*arguments: str) -> str:
    """Return the output of a run of torchlint; raises `ToolError` with its message if it failed."""
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)  # noqa: S603 -- our own
    if done.returncode >= _FAILED:
        raise ToolError(done.stderr.strip() or f"torchlint ended with exit code {done.returncode}")
    return done.stdout or done.stderr
