"""`--output FORMAT:PATH`: files beside what stdout shows, each written whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Torchlint
from torchlint.output import FORMATS

_CHECKOUT = Path(__file__).parents[2]
_BAD = 'import torch\n\nx = torch.ones(3, device="cuda")\n'


@pytest.fixture(autouse=True)
def _bad(here: Path) -> None:
    (here / "a.py").write_text(_BAD)


def test_every_format_can_be_written_in_one_run(here: Path, torchlint: Torchlint) -> None:
    outputs = [f"--output={name}:reports/{name}.txt" for name in FORMATS]

    ran = torchlint("-q", "--output-format", "concise", *outputs, "a.py")

    assert ran.code == 1
    assert ran.out.startswith("a.py:3:26: hardcoded-cuda ")
    assert ran.err == ""
    for name in FORMATS:
        assert "hardcoded-cuda" in (here / "reports" / f"{name}.txt").read_text("utf-8"), name
    assert {file.name for file in (here / "reports").iterdir()} == {f"{name}.txt" for name in FORMATS}


def test_a_file_has_no_colour_whatever_stdout_has(here: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--color", "--output", "full:full.txt", "a.py")

    assert "\x1b" in ran.out
    assert "\x1b" not in (here / "full.txt").read_text("utf-8")


def test_what_cannot_be_written_is_told_and_the_rest_is_done(here: Path, torchlint: Torchlint) -> None:
    (here / "taken").write_text("")

    ran = torchlint("--output-format", "json", "--output", "sarif:taken/x.sarif", "--output", "gcc:gcc.txt", "a.py")

    assert ran.code == 2
    assert ran.err == "error: cannot write taken/x.sarif: not a directory\n"
    assert json.loads(ran.out)["errors"] == [
        {
            "path": "taken/x.sarif",
            "kind": "unwritable-output",
            "message": "cannot write taken/x.sarif: not a directory",
        }
    ]
    assert (here / "gcc.txt").read_text().startswith("a.py:3:26: warning: ")


def test_a_link_stays_one_and_a_file_keeps_its_mode(here: Path, torchlint: Torchlint) -> None:
    (here / "deep").mkdir()
    (here / "deep" / "real.txt").write_text("old")
    (here / "deep" / "real.txt").chmod(0o640)
    (here / "link.txt").symlink_to("deep/real.txt")

    torchlint("--output", "gcc:link.txt", "a.py")

    assert (here / "link.txt").is_symlink()
    assert (here / "deep" / "real.txt").read_text().startswith("a.py:3:26:")
    assert (here / "deep" / "real.txt").stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_to(here: Path, torchlint: Torchlint) -> None:
    os.mkfifo(here / "pipe")
    reader = subprocess.Popen(["cat", str(here / "pipe")], stdout=subprocess.PIPE, text=True)

    torchlint("--output", "gcc:pipe", "a.py")

    out, _ = reader.communicate(timeout=30)
    assert out.startswith("a.py:3:26: warning: ")


def test_what_is_left_after_mending_is_what_is_written(here: Path, torchlint: Torchlint) -> None:
    ran = torchlint("-q", "--fix", "--unsafe-fixes", "--output", "json:left.json", "a.py")

    assert ran.code == 0
    assert json.loads((here / "left.json").read_text())["findings"] == []


def test_the_text_of_stdin_can_be_written_about(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, write = os.pipe()
    os.write(write, _BAD.encode())
    os.close(write)
    with os.fdopen(read) as stream:
        monkeypatch.setattr("sys.stdin", stream)

        torchlint("--fix", "--output", "gcc:gcc.txt", "-")

    assert (here / "gcc.txt").read_text().startswith("-:3:26: warning: ")


def test_a_job_has_one_summary(here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(here / "summary.md"))

    torchlint("--output-format", "github", "--output", "github:annotations.txt", "a.py")

    assert (here / "summary.md").read_text().count("<h3>") == 1


def test_every_mistake_is_told_before_anything_is_linted(here: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--output", "sarf:x", "--output", "y", "--output", "json:z", "--output", "html:./z", "a.py")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines() == [
        "error: unknown output format `sarf` in --output; did you mean `sarif`?",
        "error: --output is FORMAT:PATH, such as `sarif:torchlint.sarif`, and not `y`",
        "error: --output would write ./z twice",
    ]
    assert {file.name for file in here.iterdir()} == {".git", "a.py"}


def test_a_diff_is_no_findings(torchlint: Torchlint) -> None:
    ran = torchlint("--diff", "--output", "json:x.json", "a.py")

    assert ran.code == 2
    assert ran.err == "error: --output is for findings, and --diff shows changes: leave one of them out\n"


def test_a_format_that_is_not_asked_for_is_not_imported(here: Path) -> None:
    code = (
        "import sys; from torchlint.cli import run; run(['a.py']);"
        "print(*sorted(name for name in sys.modules if name.startswith('torchlint.output.')), file=sys.stderr)"
    )

    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(_CHECKOUT)},
        capture_output=True,
        text=True,
        check=True,
    )

    imported = {name.removeprefix("torchlint.output.") for name in ran.stderr.split()}
    others = {where.partition(":")[0].removeprefix("torchlint.output.") for where in FORMATS.values()} - {"full"}
    assert "full" in imported
    assert not imported & (others | {"jsontext", "markup", "fingerprint"})
