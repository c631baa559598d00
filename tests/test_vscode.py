"""The extension for VS Code names what is there; `.ci/vscode` builds it, and its own tests speak to the server."""

from __future__ import annotations

import json
import re
from pathlib import Path

from torchlint import __version__
from torchlint.server.actions import FIX_ALL

_EXTENSION = Path(__file__).parents[1] / "editors" / "vscode"
_MANIFEST = json.loads((_EXTENSION / "package.json").read_text("utf-8"))
_README = (_EXTENSION / "README.md").read_text("utf-8")


def test_it_has_the_version_of_torchlint() -> None:
    lock = json.loads((_EXTENSION / "package-lock.json").read_text("utf-8"))

    assert _MANIFEST["version"] == lock["version"] == __version__


def test_its_readme_lists_all_settings_and_commands() -> None:
    settings = _MANIFEST["contributes"]["configuration"]["properties"]
    titles = {f"{one['category']}: {one['title']}" for one in _MANIFEST["contributes"]["commands"]}

    assert set(re.findall(r"^\| `(torchlint\.[\w.]+)` \|", _README, re.MULTILINE)) == settings.keys()
    assert set(re.findall(r"^\| (torchlint: [\w ]+?) \|", _README, re.MULTILINE)) == titles
    assert FIX_ALL in _README


def test_every_command_of_the_menu_is_registered() -> None:
    source = (_EXTENSION / "src" / "extension.ts").read_text("utf-8")

    registered = set(re.findall(r'registerCommand\("([\w.]+)"', source))
    assert registered == {one["command"] for one in _MANIFEST["contributes"]["commands"]}


def test_nothing_of_a_workspace_runs_before_it_is_trusted() -> None:
    assert _MANIFEST["capabilities"]["untrustedWorkspaces"]["supported"] is False
