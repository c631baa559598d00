"""An old repository taken up: a baseline, comments, and only what has changed."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Torchlint

_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'
_LOAD = 'import torch\n\nstate = torch.load("best.pt")\n'
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
_PASSED = "All checks passed (2 files, 0.00 s).\n"
_KNOWN = "--baseline", "known.json"


@pytest.fixture
def old(here: Path) -> Path:
    """Return a folder with a finding in each of two files."""
    (here / "a.py").write_text(_CUDA)
    (here / "b.py").write_text(_CUDA)
    return here


def test_after_a_baseline_is_written_only_new_findings_count(old: Path, torchlint: Torchlint) -> None:
    written = torchlint(*_KNOWN, "--update-baseline")
    (old / "a.py").write_text(f"# moved\n{_CUDA}y = torch.ones(4, device='cuda')\n")

    ran = torchlint(*_KNOWN, "--output-format", "concise")

    note = "note: 2 places are in the baseline\n"
    assert written == Ran(0, f"{_PASSED}{note}", "known.json: 2 places, 2 new, 0 removed\n")
    assert ran.code == 1
    assert ran.out.startswith("a.py:5:26: hardcoded-cuda")
    assert "\nFound 1 finding (1 warning) in 1 of 2 files, 0.00 s.\n" in ran.out
    assert ran.out.endswith(note)


def test_a_baseline_holds_from_wherever_torchlint_runs(
    old: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old / "sub").mkdir()
    (old / "sub" / "c.py").write_text(_CUDA)
    (old / "pyproject.toml").write_text('[tool.torchlint]\nbaseline = "known.json"\n')
    torchlint("--update-baseline")
    monkeypatch.chdir(old / "sub")

    assert torchlint("-q", ".", "../a.py") == Ran(0, "", "")


def test_a_part_is_updated_and_the_rest_stays_known(old: Path, torchlint: Torchlint) -> None:
    torchlint(*_KNOWN, "--update-baseline")
    (old / "a.py").write_text(_LOAD)

    part = torchlint(*_KNOWN, "--update-baseline", "a.py", "--config", 'target-torch="2.4"')
    other_rule = torchlint(*_KNOWN, "--update-baseline", "--select", "sync")

    assert part.err == "known.json: 2 places, 1 new, 1 removed\n"
    assert other_rule.err == "known.json: 2 places, 0 new, 0 removed\n"
    assert torchlint("-q", *_KNOWN, "--config", 'target-torch="2.4"') == Ran(0, "", "")


def test_what_is_gone_is_told_and_pruned(old: Path, torchlint: Torchlint) -> None:
    torchlint(*_KNOWN, "--update-baseline")
    (old / "a.py").write_text("import torch\n")
    (old / "b.py").write_text(f"{_CUDA}y = torch.ones(4, device='cuda')\n")

    stale = torchlint("b.py", "a.py", *_KNOWN, "--error-stale-baseline", "--ignore", "sync", "--exit-zero")
    failing = torchlint("a.py", *_KNOWN, "--error-stale-baseline")
    quiet = torchlint("-q", "a.py", *_KNOWN)
    pruned = torchlint(*_KNOWN, "--prune-baseline")

    note = "note: 1 place of known.json cannot be found any more: --prune-baseline removes what is gone\n"
    assert (stale.code, stale.err) == (0, note)
    assert (failing.code, failing.err) == (1, note)
    assert quiet == Ran(0, "", "")
    assert (pruned.code, pruned.err) == (1, "known.json: 1 place, 0 new, 1 removed\n")
    assert torchlint(*_KNOWN, "--prune-baseline").err == ""


def test_what_is_not_sure_enough_is_not_written_and_not_taken_for_gone(old: Path, torchlint: Torchlint) -> None:
    torchlint(*_KNOWN, "--update-baseline")

    ran = torchlint(*_KNOWN, "--error-stale-baseline", "--fail-on", "error")

    assert (ran.code, ran.err) == (0, "")


def test_of_a_broken_baseline_a_line_is_told_and_it_is_written_anew_on_demand(old: Path, torchlint: Torchlint) -> None:
    (old / "known.json").write_text("{\n<<<<<<< HEAD\n")

    ran = torchlint(*_KNOWN)
    anew = torchlint(*_KNOWN, "--update-baseline")

    conflict = "known.json:2:1: a conflict of a merge is in it"
    assert ran == Ran(2, "", f"error: {conflict}: fix the baseline, or rewrite it with --update-baseline\n")
    assert anew.code == 0
    assert anew.err == f"warning: {conflict}: it is rewritten\nknown.json: 2 places, 2 new, 0 removed\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (_KNOWN, "there is no baseline known.json: --update-baseline writes it"),
        (
            ["--update-baseline"],
            "--update-baseline and --prune-baseline write a baseline: name it with --baseline FILE",
        ),
        (
            [*_KNOWN, "--update-baseline", "--fix"],
            "a baseline is written of whole files as they are: without --fix, --diff, --diff-base and `-`",
        ),
        (
            [*_KNOWN, "--update-baseline", "--prune-baseline"],
            "--update-baseline removes what --prune-baseline does: give one of them",
        ),
        (["--add-ignore", "--fix"], "--add-ignore writes to files, and fixes nothing: without --fix, --diff and `-`"),
        (
            ["--add-ignore=a\nb"],
            "the reason of --add-ignore is one line of text: without newlines and control characters",
        ),
        (
            ["--diff-base", "HEAD", "-"],
            "--diff-base asks git what has changed, which knows nothing of stdin: without `-`",
        ),
    ],
)
def test_what_cannot_be_asked_is_told_in_a_line(old: Path, torchlint: Torchlint, words: list[str], told: str) -> None:
    assert torchlint(*words) == Ran(2, "", f"error: {told}\n")


def test_what_is_known_is_fixed_for_who_asks_for_fixes(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(f"{_KEPT}\n\n{_LOAD}")
    (here / "torchlint.toml").write_text('baseline = "known.json"\nselect = ["kept-graph", "unsafe-load"]\n')
    torchlint("--update-baseline")

    shown, fixed = torchlint("--diff", "--select", "kept-graph"), torchlint("--fix", "--select", "kept-graph")

    assert (shown.code, shown.err) == (1, "Would fix 1 finding in 1 file.\n")
    assert (here / "a.py").read_text() == f"{_KEPT.replace('+= loss', '+= loss.detach()')}\n\n{_LOAD}"
    assert (fixed.code, fixed.out.splitlines()[0]) == (0, "Fixed 1 finding in 1 file.")
    gone = "1 place of known.json cannot be found any more: --prune-baseline removes what is gone"
    assert fixed.err == f"note: {gone}\n"


def test_what_cannot_be_fixed_stays_known(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_CUDA)
    torchlint(*_KNOWN, "--update-baseline")

    ran = torchlint("-q", *_KNOWN, "--fix")

    assert ran == Ran(0, "", "")
    assert (here / "a.py").read_text() == _CUDA


def test_what_is_found_is_ignored_and_the_second_time_nothing_is_added(old: Path, torchlint: Torchlint) -> None:
    ran = torchlint("--add-ignore=runs on the cluster; see #12")
    after = (old / "a.py").read_text()
    again = torchlint("--add-ignore")

    assert ran == Ran(0, f"Ignored 2 findings in 2 files.\n{_PASSED}", "")
    assert after == _CUDA.replace(
        '"cuda")', '"cuda")  # torchlint: ignore[hardcoded-cuda] runs on the cluster; see #12'
    )
    assert again == Ran(0, _PASSED, "")
    assert (old / "a.py").read_text() == after


def test_a_path_behind_add_ignore_is_a_path(old: Path, torchlint: Torchlint) -> None:
    torchlint("--add-ignore", "a.py")

    assert "torchlint" in (old / "a.py").read_text()
    assert (old / "b.py").read_text() == _CUDA


def test_what_no_comment_can_ignore_stays(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text("x = (1,\n")

    ran = torchlint("-q", "--output-format", "concise", "--add-ignore", "a.py")

    assert ran == Ran(1, "a.py:1:5: unreadable-source '(' was never closed\n", "")


def test_a_file_that_cannot_be_written_is_told_and_its_findings_stay(old: Path, torchlint: Torchlint) -> None:
    (old / "a.py").chmod(0o444)

    ran = torchlint("-q", "--output-format", "concise", "--add-ignore")

    assert (ran.code, ran.err) == (1, "warning: a.py was not changed: is read-only\n")
    assert "b.py" not in ran.out


def git(*words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], check=True)


@pytest.fixture
def repository(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository in which everything is committed."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    (here / ".git").rmdir()
    (here / "a.py").write_text(_KEPT)
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "all")
    return here


def test_only_what_is_on_changed_lines_counts_and_is_fixed(repository: Path, torchlint: Torchlint) -> None:
    other = _KEPT.replace("total", "whole")
    (repository / "a.py").write_text(f"{_KEPT}\n\n{other}")
    (repository / "b.py").write_text(_CUDA)

    ran = torchlint("-q", "--output-format", "concise", "--diff-base", "HEAD")
    torchlint("--fix", "--diff-base", "HEAD")

    assert [line.partition(" ")[0] for line in ran.out.splitlines()] == ["a.py:25:9:", "b.py:3:26:"]
    assert (repository / "a.py").read_text() == f"{_KEPT}\n\n{other.replace('+= loss', '+= loss.detach()')}"


def test_where_nothing_has_changed_nothing_counts(repository: Path, torchlint: Torchlint) -> None:
    assert torchlint("-q").code == 1
    assert torchlint("-q", "--diff-base", "HEAD") == Ran(0, "", "")


def test_what_git_cannot_tell_is_told_in_a_line(
    repository: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    unknown = torchlint("--diff-base", "nowhere")
    monkeypatch.setenv("PATH", "")

    assert unknown == Ran(2, "", "error: git finds no commit `nowhere` in .: name one for --diff-base, or fetch it\n")
    assert torchlint("--diff-base", "HEAD") == Ran(2, "", "error: --diff-base asks git, which is not on the PATH\n")


def test_a_text_of_stdin_is_held_against_the_baseline_of_its_file(
    old: Path, torchlint: Torchlint, monkeypatch: pytest.MonkeyPatch
) -> None:
    (old / "torchlint.toml").write_text('baseline = "known.json"\n')
    torchlint("--update-baseline")

    class Stdin:
        buffer = io.BytesIO(f"{_CUDA}y = x.cuda(1)\n".encode())

    monkeypatch.setattr(sys, "stdin", Stdin())
    monkeypatch.chdir(old.parent)
    ran = torchlint("-q", "--output-format", "concise", "--stdin-filename", "here/a.py", "-")

    assert ran.out.startswith("here/a.py:4:5: hardcoded-cuda")
    assert ran.out.count("\n") == 1
