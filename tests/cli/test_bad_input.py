"""What a user may get wrong, and what a file may hold: the exact words, where they go, and the exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Torchlint
from tests.output.reports import flush
from torchlint.cli.command import torchlint as program

_UNREAD = "note: 1 file could not be read in full: rules may have missed mistakes there\n"
_ONE_ERROR = f"\nFound 1 finding (1 error) in 1 of 1 file, 0.00 s.\n{_UNREAD}"
_SEE = "note: see `torchlint explain unreadable-source`\n"
_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'
_CUDA_FOUND = (
    ':3:26: hardcoded-cuda `"cuda"` raises on a machine without CUDA; '
    "choose the device once, with `torch.cuda.is_available()`\n"
)


def unreadable(name: str, place: str, reason: str, *frame: str) -> str:
    """Return what is shown of a file that cannot be read."""
    lines = (f"error[unreadable-source] {reason}", f"  --> {name}:{place}", *frame)
    return "".join(f"{line}\n" for line in lines) + _SEE + _ONE_ERROR


def test_a_missing_path_is_told_and_the_others_are_linted(here: Path, torchlint: Torchlint) -> None:
    (here / "test").mkdir()
    (here / "src").mkdir()
    (here / "src" / "a.py").write_text("import torch\n")

    ran = torchlint("src/", "tset/", "nowhere.py")

    assert ran == Ran(
        2,
        "No findings in 1 file, 0.00 s, but not everything was checked: 2 errors.\n",
        "error: path does not exist: tset/\n"
        "  tip: a similar path exists: test/\n"
        "error: path does not exist: nowhere.py\n",
    )


def test_findings_are_shown_although_a_path_is_missing(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_CUDA)

    ran = torchlint("-q", "--output-format", "concise", "--exit-zero", "a.py", "b.txt")

    assert ran == Ran(2, f"a.py{_CUDA_FOUND}", "error: path does not exist: b.txt\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["chekc", "a.py"], "path does not exist: chekc\n  tip: did you mean `torchlint check`?"),
        (["expain"], "path does not exist: expain\n  tip: did you mean `torchlint explain`?"),
        (["help"], "path does not exist: help\n  tip: did you mean `torchlint --help`?"),
        (["lint", "a.py"], "path does not exist: lint\n  tip: did you mean `torchlint check`?"),
        (["a.py", "chekc"], "path does not exist: chekc"),
        (["explain", "kept-gra"], "unknown rule `kept-gra`; did you mean `kept-graph`?"),
        (
            ["explain", "item"],
            "unknown rule `item`; did you mean `item-in-eval-loop` or `item-in-training-loop`?",
        ),
        (["explain", "nothing-like-it"], "unknown rule `nothing-like-it`; `torchlint rules` lists them all"),
        (
            ["explain", "numerics"],
            "`numerics` is a group of rules, such as `bce-without-sigmoid`; `torchlint rules` lists them",
        ),
        (["verify", "kept-gra"], "no rule `kept-gra` to verify; did you mean `kept-graph`?"),
        (["--select", "kept-gra", "a.py"], "unknown rule `kept-gra` in --select; did you mean `kept-graph`?"),
    ],
)
def test_a_mistyped_command_or_rule_is_told_with_what_was_meant(
    here: Path, torchlint: Torchlint, words: list[str], told: str
) -> None:
    (here / "a.py").write_text("import torch\n")

    ran = torchlint("-q", *words) if words[0] not in program.commands else torchlint(*words)

    assert (ran.code, ran.err) == (2, f"error: {told}\n")


@pytest.mark.parametrize("command", [*program.commands])
def test_a_command_that_is_not_the_first_word_is_explained(torchlint: Torchlint, command: str) -> None:
    ran = torchlint("-q", command)

    tip = f"  tip: `{command}` is a command where it is the first word\n"
    assert ran == Ran(2, "", f"error: path does not exist: {command}\n{tip}")


def test_a_syntax_error_is_told_in_the_words_and_at_the_place_of_cpython(here: Path, torchlint: Torchlint) -> None:
    (here / "broken.py").write_text("x = (1,\n")

    ran = torchlint("broken.py")

    frame = ("   |", " 1 | x = (1,", "   |     ^", "   |")
    assert ran == Ran(1, unreadable("broken.py", "1:5", "'(' was never closed", *frame), "")


def test_python_2_is_told_what_python_3_says_of_it(here: Path, torchlint: Torchlint) -> None:
    (here / "old.py").write_text("import torch\nprint torch.cuda.device_count()\n")

    ran = torchlint("-q", "--output-format", "concise", "old.py")

    reason = "Missing parentheses in call to 'print'. Did you mean print(...)?"
    assert ran == Ran(1, f"old.py:2:1: unreadable-source {reason}\n", "")


_OLD = """import torch

def put(x):
    print x
    return x.cuda(async=True)

put(torch.ones(3))
y = torch.ones(3).cuda(async=True)  # torchlint: ignore[hardcoded-cuda] -- µ
"""
_OLD_FOUND = (
    "`x.cuda(async=True)` raises on a machine without CUDA; choose the device once, with `torch.cuda.is_available()`\n"
)


def test_what_stops_python_at_a_word_of_older_pythons_stops_no_rule(here: Path, torchlint: Torchlint) -> None:
    (here / "old.py").write_text(_OLD, encoding="utf-8")

    ran = torchlint("--output-format", "concise", "old.py")
    mended = torchlint("--fix", "--unsafe-fixes", "-q", "--output-format", "concise", "old.py")

    reason = "Missing parentheses in call to 'print'. Did you mean print(...)?"
    found = f"old.py:4:5: unreadable-source {reason}\nold.py:5:12: hardcoded-cuda {_OLD_FOUND}"
    assert ran == Ran(1, f"{found}Found 2 findings (1 error, 1 warning) in 1 of 1 file, 0.00 s.\n", "")
    assert mended == Ran(1, found, "")
    assert (here / "old.py").read_text(encoding="utf-8") == _OLD


def test_every_name_that_became_a_keyword_is_told(here: Path, torchlint: Torchlint) -> None:
    (here / "old.py").write_text("x = y.cuda(async=True)\n# async=1\nz = 'async=1'\nf(\n    x,\n    async = 1)\n")

    ran = torchlint("-q", "--select", "source", "--output-format", "concise", "old.py")

    first, second = ran.out.splitlines()
    assert first.startswith("old.py:1:")
    assert second == "old.py:6:5: unreadable-source `async` is a keyword since Python 3.7: rename it"


def test_bytes_that_are_not_utf_8_are_named_with_their_place(here: Path, torchlint: Torchlint) -> None:
    (here / "latin.py").write_bytes(b'x = "caf\xe9"\n')

    ran = torchlint("latin.py")

    reason = "not valid UTF-8: byte 0xe9 at line 1, column 9: save it as UTF-8"
    frame = ("   |", ' 1 | x = "caf\N{REPLACEMENT CHARACTER}"', "   |         ^", "   |")
    assert ran == Ran(1, unreadable("latin.py", "1:9", reason, *frame), "")


def test_a_file_in_another_encoding_that_says_so_is_linted(here: Path, torchlint: Torchlint) -> None:
    (here / "latin.py").write_bytes(b'# coding: latin-1\nimport torch\nx = "\xe9", torch.ones(3, device="cuda")\n')

    ran = torchlint("-q", "--output-format", "concise", "latin.py")

    assert ran == Ran(1, f"latin.py{_CUDA_FOUND.replace(':26:', ':31:')}", "")


@pytest.mark.parametrize(
    "data",
    [_CUDA.encode(), b"\xef\xbb\xbf" + _CUDA.encode(), _CUDA.replace("\n", "\r\n").encode(), _CUDA.rstrip().encode()],
    ids=["plain", "BOM", "CRLF", "no newline at the end"],
)
def test_how_a_file_is_written_moves_no_finding(here: Path, torchlint: Torchlint, data: bytes) -> None:
    (here / "a.py").write_bytes(data)

    assert torchlint("-q", "--output-format", "concise", "a.py") == Ran(1, f"a.py{_CUDA_FOUND}", "")


def test_an_empty_file_is_fine(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").touch()

    assert torchlint("a.py") == Ran(0, "All checks passed (1 file, 0.00 s).\n", "")


def test_a_nul_byte_is_told_with_its_place(here: Path, torchlint: Torchlint) -> None:
    (here / "nul.py").write_bytes(b"x = 1\n\0y = 2\n")

    ran = torchlint("nul.py")

    frame = ("   |", " 2 | \N{SYMBOL FOR NULL}y = 2", "   | ^", "   |")
    assert ran == Ran(1, unreadable("nul.py", "2:1", "source code cannot contain null bytes", *frame), "")


def test_ten_thousand_parentheses_are_refused_in_the_words_of_cpython(here: Path, torchlint: Torchlint) -> None:
    text = f"x = {'(' * 10_000}{')' * 10_000}\n"
    (here / "deep.py").write_text(text)
    with pytest.raises(SyntaxError) as refusal:
        compile(text, "deep.py", "exec")

    ran = torchlint("-q", "--output-format", "concise", "deep.py")

    told = f"deep.py:1:{refusal.value.offset}: unreadable-source too many nested parentheses\n"
    assert ran == Ran(1, told, "")


def test_three_thousand_signs_are_no_crash(here: Path, torchlint: Torchlint) -> None:
    (here / "deep.py").write_text(f'import torch\n\nx = torch.ones(3, device="cuda")\ny = {"-" * 3_000}1\n')

    ran = torchlint("-q", "--output-format", "concise", "deep.py")

    assert ran.err == ""
    assert ran.code == 1
    assert ran.out.startswith("deep.py:")


def test_a_line_of_five_megabytes_is_linted_and_shown_in_part(here: Path, torchlint: Torchlint) -> None:
    (here / "long.py").write_text(f'import torch; x = torch.ones(3, device="cuda"); y = "{"y" * 5_000_000}"\n')

    ran = torchlint("-q", "long.py")

    assert ran.code == 1
    assert ran.err == ""
    assert 'torch.ones(3, device="cuda")' in ran.out
    assert len(ran.out) < 10_000


def test_a_folder_without_python_is_told(here: Path, torchlint: Torchlint) -> None:
    (here / "docs").mkdir()
    (here / ".gitignore").write_text("made.py\n")
    (here / "docs" / "made.py").touch()
    (here / "docs" / "a.txt").touch()

    ran = torchlint("docs/")

    told = "warning: no Python files found under docs/ (checked .py, .pyi, .ipynb; 1 file left out by .gitignore)\n"
    assert ran == Ran(0, "", told)
    assert torchlint("-q", "docs/") == Ran(0, "", "")
    assert torchlint("--force-exclude", "docs/made.py").err == ""


def test_a_file_that_is_not_python_is_refused(here: Path, torchlint: Torchlint) -> None:
    (here / "train.txt").touch()

    tip = "  tip: `--extension txt:python` lints it as Python\n"
    assert torchlint("train.txt") == Ran(2, "", f"error: train.txt is not a .py, .pyi or .ipynb file\n{tip}")


def test_a_script_without_a_suffix_is_python_where_its_first_line_says_so(here: Path, torchlint: Torchlint) -> None:
    (here / "train").write_text(f"#!/usr/bin/env python3\n{_CUDA}")
    (here / "run").write_text("#!/bin/sh\n")

    assert torchlint("-q", "--output-format", "concise", "train").code == 1
    assert torchlint("run") == Ran(2, "", "error: run is not a .py, .pyi or .ipynb file\n")


def test_links_that_lead_in_circles_end(here: Path, torchlint: Torchlint) -> None:
    (here / "src").mkdir()
    (here / "src" / "up").symlink_to("..")
    (here / "src" / "self.py").symlink_to("self.py")
    (here / "src" / "a.py").touch()

    told = "All checks passed (1 file, 0.00 s).\nnote: 1 file left out (a link without a target)\n"
    assert torchlint() == Ran(0, told, "")
    assert torchlint("src/self.py") == Ran(2, "", "error: cannot read src/self.py: too many levels of symbolic links\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes among files")
@pytest.mark.parametrize("words", [[], ["a.py"]])
def test_a_pipe_that_is_called_like_a_file_is_not_waited_for(
    here: Path, torchlint: Torchlint, words: list[str]
) -> None:
    os.mkfifo(here / "pipe.py")
    (here / "a.py").write_text(_CUDA)

    ran = torchlint("-q", "--output-format", "concise", *words)

    assert ran == Ran(1, f"a.py{_CUDA_FOUND}", "")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_a_name_that_is_no_unicode_is_one_like_any_other(here: Path, torchlint: Torchlint) -> None:
    program = Path(here, os.fsdecode(b"tr\xe4in.py"))
    program.write_text(f"{_CUDA}\n\ndef step(batch):\n    return batch.cuda()\n")

    cold, warm = (torchlint("-q", "--output-format", "concise", "--no-group") for _ in range(2))

    assert (cold.code, cold.err, len(cold.out.splitlines())) == (1, "", 2)
    assert warm == cold


def test_a_path_that_is_too_long_for_a_file_does_not_exist(torchlint: Torchlint) -> None:
    name = "n" * 300

    ran = torchlint("-q", f"{name}.py", f"{name}/train.py")

    told = "".join(f"error: cannot read {path}: file name too long\n" for path in (f"{name}.py", f"{name}/train.py"))
    assert ran == Ran(2, "", told)


def test_a_long_setting_is_not_taken_for_a_file(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text(_CUDA)
    folders = ", ".join(f"'folder-{number}/'" for number in range(100))

    ran = torchlint("-q", "--output-format", "concise", "--config", f"exclude = [{folders}]")

    assert ran == Ran(1, f"a.py{_CUDA_FOUND}", "")


def test_an_empty_path_is_not_the_folder_that_one_is_in(torchlint: Torchlint) -> None:
    assert torchlint("") == Ran(2, "", "error: a path is empty: leave it out to lint the folder you are in\n")


@pytest.mark.skipif(sys.platform != "linux", reason="what nobody may read, root included, is Linux's")
def test_a_file_that_cannot_be_read_is_a_finding_and_the_others_are_linted(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").symlink_to("/proc/self/mem")
    (here / "b.py").write_text(_CUDA)

    ran = torchlint("-q", "--output-format", "concise", "a.py", "b.py")

    assert ran == Ran(1, f"a.py:1:1: unreadable-source cannot be read: input/output error\nb.py{_CUDA_FOUND}", "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_looked_into_is_told(here: Path, torchlint: Torchlint) -> None:
    (here / "closed").mkdir(mode=0)

    assert torchlint("-q") == Ran(2, "", "error: cannot read closed: permission denied\n")
    assert torchlint("-q", "closed") == Ran(2, "", "error: cannot read closed: permission denied\n")
    assert torchlint("-q", "closed/a.py") == Ran(2, "", "error: cannot read closed/a.py: permission denied\n")


def test_every_unknown_name_is_told_at_once(torchlint: Torchlint) -> None:
    ran = torchlint("--select", "kept-grph,TLX", "--ignore", "snyc")

    assert ran == Ran(
        2,
        "",
        "error: unknown rule `kept-grph` in --select; did you mean `kept-graph`?\n"
        "error: unknown rule `TLX` in --select; `torchlint rules` lists them all\n"
        "error: unknown rule `snyc` in --ignore; did you mean `sync`?\n",
    )


@pytest.mark.parametrize("empty", ["", ",", " , "])
def test_a_run_without_rules_does_not_pass(empty: str, torchlint: Torchlint) -> None:
    ran = torchlint("--select", empty)

    assert ran == Ran(2, "", "error: --select names no rule; leave it out to run the default ones\n")


def test_an_unknown_option_is_told_with_a_tip(torchlint: Torchlint) -> None:
    ran = torchlint("--selekt", "sync")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: no such option")
    assert "--select" in ran.err
    assert ran.err.endswith("\n  tip: `torchlint --help` lists what there is\n")


def test_a_number_that_is_none_is_called_no_valid_number(torchlint: Torchlint) -> None:
    ran = torchlint("--jobs", "many")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: invalid value for '-j' / '--jobs': 'many' is not a valid integer\n")


@pytest.mark.parametrize("command", [["--output-format", "xml"], ["--jobs", "many"], ["explain"], ["rules", "x"]])
def test_a_wrong_word_on_the_command_line_is_one_line_and_a_tip(torchlint: Torchlint, command: list[str]) -> None:
    ran = torchlint(*command)

    assert (ran.code, ran.out) == (2, "")
    assert [line[:5] for line in ran.err.splitlines()] == ["error", "  tip"]


def test_three_mistakes_in_a_configuration_are_told_at_once(here: Path, torchlint: Torchlint) -> None:
    (here / "pyproject.toml").write_text(
        '[project]\nname = "x"\n\n[tool.torchlint]\nselec = ["sync"]\nignore = "kept-graph"\n'
        'per-file-ignores = { "tests/*" = ["kept-grph"] }\n'
    )
    (here / "a.py").write_text(_CUDA)

    ran = torchlint()

    told = """
        error: invalid configuration in pyproject.toml
         --> pyproject.toml:5:1
          |
        5 | selec = ["sync"]
          | ^^^^^ unknown key `tool.torchlint.selec`; did you mean `select`?
        """
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(flush(told))
    assert "`tool.torchlint.ignore` must be" in ran.err
    assert "did you mean `kept-graph`?" in ran.err
    assert ran.err.endswith("\n3 mistakes in pyproject.toml\n")


def test_toml_that_is_none_is_told_with_its_place(here: Path, torchlint: Torchlint) -> None:
    (here / "torchlint.toml").write_text('select = ["sync"\n')

    ran = torchlint()

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: torchlint.toml is not valid TOML: ")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["--config", "none.toml"], "path does not exist: none.toml"),
        (
            ["--config", "pyproject.toml", "--isolated"],
            "--config names a file, and --isolated reads none: give one of them",
        ),
        (["-", "a.py"], "`-` is stdin, and linted alone: give it as the only path"),
    ],
)
def test_words_that_contradict_each_other_are_told(torchlint: Torchlint, command: list[str], told: str) -> None:
    assert torchlint(*command) == Ran(2, "", f"error: {told}\n")
