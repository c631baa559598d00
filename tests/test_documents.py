"""What the documents show is what happens."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.hooks import hook
from torchlint.cli import run
from torchlint.cli.check import findings_around
from torchlint.config import load_config
from torchlint.manual import entry
from torchlint.programs import marks, programs
from torchlint.registry import builtin_rules
from torchlint.server.actions import FIX_ALL
from torchlint.verify.gpus import present

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_CHECKOUT = Path(__file__).parents[1]
_DOCUMENTS = {
    path.relative_to(_CHECKOUT).as_posix(): path.read_text("utf-8")
    for path in (_CHECKOUT / "README.md", *sorted((_CHECKOUT / "docs").rglob("*.md")))
}
PROJECT = tomllib.loads((_CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
_SECONDS = re.compile(r"\d+\.\d\d s\b")


def blocks(language: str, document: str = "") -> Iterator[str]:
    """Yield the blocks of the documents, or of one, in a language."""
    for name, text in _DOCUMENTS.items():
        if document in ("", name):
            yield from re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


_VERIFIES = "$ torchlint verify "
SHOWN = [
    block
    for block in blocks("console", "README.md")
    if block.startswith("$ torchlint ") and not block.startswith(_VERIFIES)
]
VERIFIED = [block for block in blocks("console", "README.md") if block.startswith(_VERIFIES)]


@pytest.mark.parametrize("block", SHOWN)
def test_the_output_that_is_shown_is_the_output(
    block: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(_CHECKOUT)
    for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    line, _, shown = block.partition("\n")

    code = run(shlex.split(line)[2:])

    assert code == 1
    assert _SECONDS.sub("", capsys.readouterr().out) == _SECONDS.sub("", shown)


_TIMES = re.compile(r"\d+\.\d s\b|\d+%")


@pytest.mark.skipif(bool(present()), reason="what is shown is of a machine without a GPU")
def test_the_run_that_is_shown_is_what_happens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="what is run is a PyTorch program")
    monkeypatch.chdir(_CHECKOUT)
    (block,) = VERIFIED
    line, _, shown = block.partition("\n")

    run(shlex.split(line)[2:])

    assert _TIMES.sub("", capsys.readouterr().out) == _TIMES.sub("", shown)


def test_the_counts_of_programs_in_the_manual_are_those_of_the_rules() -> None:
    (block,) = (block for block in blocks("console", "docs/verify.md") if block.startswith(_VERIFIES))

    shown = {
        name: int(count) for name, count in re.findall(r"^[A-Z]+ +([a-z-]+) +(\d+) programs?\b", block, re.MULTILINE)
    }

    assert shown
    assert shown == {name: len(programs(name, "bad")) for name in shown}


_SESSION = "$ cd old-project && "


@pytest.mark.skipif(sys.platform == "win32", reason="the sessions are those of bash")
@pytest.mark.parametrize("block", [block for block in blocks("console") if block.startswith(_SESSION)])
def test_a_session_goes_as_it_is_shown(block: str, tmp_path: Path) -> None:
    shutil.copytree(_CHECKOUT / "fixtures" / "demo-project", tmp_path / "old-project")
    for file in (tmp_path / "old-project").glob("*.py"):
        file.write_text(re.sub(r"  # error.*", "", file.read_text("utf-8")), "utf-8")
    names = {"GITHUB_ACTIONS", "FORCE_COLOR", "CLICOLOR_FORCE"}
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "PYTHONPATH": str(_CHECKOUT)}
    commands = [line.removeprefix("$ ") for line in block.splitlines() if line.startswith("$ ")]
    script = f"""
torchlint() {{ "{sys.executable}" -m torchlint "$@"; }}
(cd old-project && git init -q -b main && git add . && git -c user.name=a -c user.email=a@example.org commit -q -m all)
{"".join(f"echo {shlex.quote(f'$ {command}')}{chr(10)}{command}{chr(10)}" for command in commands)}"""

    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1; {script}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert _SECONDS.sub("", done.stdout) == _SECONDS.sub("", block)


def test_the_demo_shows_what_it_is_marked_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(_CHECKOUT / "fixtures" / "demo-project")

    marked = {
        (file.name, number, *rules) for file in Path().glob("*.py") for number, rules in marks(file.read_text("utf-8"))
    }
    found = {(finding.path, finding.span.line, finding.rule) for finding in findings_around(Path("train.py"))}

    assert found == marked


def test_the_two_commands_are_a_line_each_and_ci_runs_the_second() -> None:
    lines = [
        line
        for block in blocks("bash", "README.md")
        for line in block.splitlines()
        if line.startswith("python3 -m venv")
    ]

    assert [line.rpartition("&& ")[2] for line in lines] == [
        ".venv/bin/torchlint fixtures/demo-project",
        ".venv/bin/python -m pytest -n auto",
    ]
    assert "grep -E '^python3 -m venv .* -m pytest' README.md" in (_CHECKOUT / ".ci" / "run").read_text("utf-8")


def test_the_settings_of_editors_start_the_server() -> None:
    settings, agents = (json.loads(block) for block in blocks("json", "docs/editors.md"))

    assert agents["mcpServers"]["torchlint"] == {"command": "torchlint", "args": ["mcp"]}
    assert [*settings["editor.codeActionsOnSave"]] == [FIX_ALL]
    assert 'cmd = { "torchlint", "server" }' in next(blocks("lua"))
    assert '("torchlint" "server")' in next(blocks("elisp"))
    assert {"lsp", "mcp", "watch"} <= PROJECT["optional-dependencies"].keys()


def test_the_configuration_of_the_readme_is_valid(tmp_path: Path) -> None:
    (block,) = blocks("toml", "README.md")
    file = tmp_path / "pyproject.toml"
    file.write_text(block)

    assert load_config(file).target_torch == (2, 4)


def test_the_readme_has_a_row_for_every_group_of_rules() -> None:
    rows = set(re.findall(r"^\| `([a-z]+)` \| ", _DOCUMENTS["README.md"], re.MULTILINE))

    assert rows == {entry(rule).group for rule in builtin_rules().values()}


@pytest.mark.parametrize("document", ["README.md", "docs/ci.md"])
def test_the_hooks_that_are_written_out_are_those_of_the_repository(document: str) -> None:
    published = {hook["id"]: hook for hook in yaml.safe_load((_CHECKOUT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    local = [
        one
        for block in blocks("yaml", document)
        for part in yaml.safe_load(block)
        if isinstance(part, dict) and part.get("repo") == "local"
        for one in part["hooks"]
    ]

    assert local
    for one in local:
        assert one.pop("additional_dependencies") == ["torchlint"]
        assert one.items() <= published[one["id"]].items()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_picture_of_the_terminal_shows_what_torchlint_writes(name: str) -> None:
    drawn: str = hook("terminal_pictures").picture(name)

    assert (_CHECKOUT / "docs" / "pictures" / f"terminal-{name}.svg").read_text("utf-8") == drawn


@pytest.mark.parametrize("document", [*_DOCUMENTS, "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md"])
def test_links_lead_to_files_that_are_there(document: str) -> None:
    file = _CHECKOUT / document

    links = re.findall(r"\]\((?!https?:)([^)#]+)", file.read_text("utf-8"))

    assert [link for link in links if not (file.parent / link).exists()] == []
