"""What `--fix` and `--diff` write, show and exit with."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Torchlint

_KEPT = """\
import torch


def train(model, loader, optimizer):
    total = 0
    for x in loader:
        loss = model(x).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
    return total
"""
_MENDED = _KEPT.replace("+= loss", "+= loss.detach()")
_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'
_PORTABLE = (
    'import torch\n\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\n'
    "x = torch.ones(3, device=device)\n"
)


class Stdin:
    """A stdin that holds some bytes."""

    def __init__(self, text: str) -> None:
        self.buffer = io.BytesIO(text.encode())


@pytest.fixture
def script(here: Path) -> Path:
    path = here / "train.py"
    path.write_text(_KEPT)
    return path


def test_a_diff_without_fixes_says_so_and_names_the_unsafe_ones(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text("import torch\n\nx = torch.ones(3).cuda()\n")

    assert torchlint("--diff", "a.py") == Ran(0, "", "No fixes to show (1 unsafe with `--unsafe-fixes`).\n")
    assert torchlint("--diff", "-q", "a.py") == Ran(0, "", "")


def test_safe_fixes_are_written_and_nothing_is_left(script: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--fix", ".")

    assert script.read_text() == _MENDED
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "Fixed 1 finding in 1 file.\nAll checks passed (1 file, 0.00 s).\n"


def test_the_exit_code_is_that_of_what_remains(script: Path, torchlint: Torchlint) -> None:
    script.write_text(f"{_KEPT}\n\n{_CUDA}")

    ran = torchlint("--fix", "--output-format", "concise", ".")

    assert ran.code == 1
    assert "kept-graph" not in ran.out
    assert "hardcoded-cuda" in ran.out
    assert ran.out.endswith("[-] 1 fixable with `torchlint --fix --unsafe-fixes`.\n")


def test_unsafe_fixes_are_made_for_who_asks(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_CUDA)

    torchlint("--fix", "a.py")
    assert (here / "a.py").read_text() == _CUDA

    assert torchlint("--fix", "--unsafe-fixes", "a.py").code == 0
    assert (here / "a.py").read_text() == _PORTABLE


def test_only_what_is_selected_is_mended(script: Path, torchlint: Torchlint) -> None:
    script.write_text(f"{_KEPT}\n\n{_CUDA}")

    torchlint("--fix", "--unsafe-fixes", "--select", "kept-graph", ".")

    assert script.read_text() == f"{_MENDED}\n\n{_CUDA}"


def test_a_diff_is_shown_and_nothing_is_written(script: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--diff", ".")

    assert script.read_text() == _KEPT
    assert ran.code == 1
    assert ran.out.startswith("--- train.py\n+++ train.py\n@@ -8,5 +8,5 @@\n")
    assert "-        total += loss\n+        total += loss.detach()\n" in ran.out
    assert ran.err == "Would fix 1 finding in 1 file.\n"


def test_a_diff_of_nothing_is_nothing(script: Path, torchlint: Torchlint) -> None:
    script.write_text(_MENDED)

    ran = torchlint("--diff", ".")

    assert (ran.code, ran.out, ran.err) == (0, "", "No fixes to show.\n")


def test_a_diff_tells_of_a_last_line_without_newline(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_CUDA.rstrip())

    ran = torchlint("--diff", "--unsafe-fixes", "a.py")

    end = "\\ No newline at end of file\n"
    assert ran.out.count(end) == 2
    assert ran.out.endswith(f"+x = torch.ones(3, device=device)\n{end}")


def test_fixes_are_listed_for_who_asks(script: Path, torchlint: Torchlint) -> None:
    (script.parent / "a.py").write_text(_CUDA)

    ran = torchlint("--fix", "--unsafe-fixes", "--show-fixes", "-q", ".")

    assert ran.out == "Fixed a.py:\n  1 x hardcoded-cuda (unsafe)\nFixed train.py:\n  1 x kept-graph\n"


@pytest.mark.parametrize("option", ["--unsafe-fixes", "--show-fixes"])
def test_words_about_fixes_without_fixes_are_refused(option: str, torchlint: Torchlint) -> None:
    ran = torchlint(option, ".")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error: {option} is for --fix and --diff: give one of them with it\n"


def test_a_read_only_file_is_told_and_its_findings_stay(script: Path, torchlint: Torchlint) -> None:
    script.chmod(0o444)

    ran = torchlint("--fix", "-q", "--output-format", "concise", ".")

    assert ran.code == 1
    assert ran.out.count("kept-graph") == 1
    assert ran.err == "warning: train.py was not fixed: is read-only\n"


@pytest.mark.skipif(sys.platform == "win32", reason="only POSIX says how large a file may be")
@pytest.mark.parametrize("words", [["--fix"], ["--add-ignore"]])
def test_where_there_is_no_room_the_run_ends_and_no_file_is_half_written(script: Path, words: list[str]) -> None:
    large = _KEPT + f"#{'x' * 100_000}\n"
    for name in ("u.py", "v.py"):
        (script.parent / name).write_text(large)
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)); import torchlint.cli as cli"
    )
    command = [sys.executable, "-c", f"{limited}; cli.main()", "--no-cache", "--select", "kept-graph", *words]

    ran = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, check=False)

    done = "fixed" if "--fix" in words else "changed"
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == f"error: cannot write u.py: file too large (1 file {done}, all others left as they were)\n"
    assert script.read_text() != _KEPT
    assert [(script.parent / name).read_text() for name in ("u.py", "v.py")] == [large, large]
    assert not [*script.parent.glob(".torchlint-*")]


def test_what_programs_read_is_left_to_them(script: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--fix", "--output-format", "json", ".")

    assert ran.out.startswith("{")
    assert ran.err == "Fixed 1 finding in 1 file.\n"


def test_stdin_is_mended_to_stdout_and_findings_go_to_stderr(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(f"{_KEPT}\n\n{_CUDA}"))

    ran = torchlint("--fix", "--output-format", "concise", "-")

    assert ran.out == f"{_MENDED}\n\n{_CUDA}"
    assert ran.err.startswith("-:17:26: hardcoded-cuda")
    assert ran.code == 1


def test_stdin_that_cannot_be_parsed_comes_out_as_it_is(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin("import torch\nx = (1,\n"))

    ran = torchlint("--fix", "-q", "--output-format", "concise", "-")

    assert ran.out == "import torch\nx = (1,\n"
    assert (ran.code, ran.err) == (1, "-:2:5: unreadable-source '(' was never closed\n")


def test_the_diff_of_stdin_is_all_there_is_on_stdout(
    here: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(_KEPT))

    ran = torchlint("--diff", "--stdin-filename", "train.py", "-")

    assert ran.code == 1
    assert ran.out.startswith("--- train.py\n+++ train.py\n")


def test_ignores_that_ignore_nothing_are_removed(script: Path, torchlint: Torchlint) -> None:
    script.write_text(_MENDED.replace(".detach()", ".detach()  # torchlint: ignore[kept-graph, wrapped-state-dict]"))

    ran = torchlint("--fix", ".")

    assert script.read_text() == _MENDED
    assert (ran.code, ran.err) == (0, "")


def test_an_ignore_of_which_some_is_needed_keeps_that(script: Path, torchlint: Torchlint) -> None:
    script.write_text(_KEPT.replace("+= loss", "+= loss  # torchlint: ignore[wrapped-state-dict, kept-graph] why"))

    assert torchlint("--fix", ".").code == 0
    assert script.read_text() == _KEPT.replace("+= loss", "+= loss  # torchlint: ignore[kept-graph] why")


def test_a_configuration_may_fix_unasked(script: Path, torchlint: Torchlint) -> None:
    script.with_name("torchlint.toml").write_text("fix = true\n")

    asked_not_to = torchlint("-q", "--no-fix")
    before = script.read_text()
    ran = torchlint("-q", "--show-fixes")

    assert (asked_not_to.code, before) == (1, _KEPT)
    assert (ran.code, script.read_text()) == (0, _MENDED)


def test_a_configuration_that_fixes_leaves_stdin_and_a_diff_alone(
    script: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.with_name("torchlint.toml").write_text("fix = true\n")
    monkeypatch.setattr(sys, "stdin", Stdin(_KEPT))

    linted, shown = torchlint("-q", "--output-format", "concise", "-"), torchlint("-q", "--diff")

    assert linted.out.startswith("-:11:9: kept-graph")
    assert (shown.code, script.read_text()) == (1, _KEPT)
