"""`torchlint migrate`: comments and settings for other linters become ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Torchlint
from torchlint.cli.collect import COMMANDS
from torchlint.cli.command import torchlint as commands

_LOAD = 'state = torch.load("best.pt", weights_only=False)'
_DIFF = f"""\
--- a.py
+++ a.py
@@ -1,2 +1,2 @@
 import torch
-{_LOAD}  # noqa: TOR102
+{_LOAD}  # torchlint: ignore[unsafe-load]
"""


@pytest.fixture(autouse=True)
def old(here: Path) -> None:
    """Have a project of which an old torch is required."""
    (here / "requirements.txt").write_text("torch>=1.13\n")
    (here / "empty.py").touch()


def after(torchlint: Torchlint, text: str) -> str:
    """Return what a program becomes, below the import of torch."""
    Path("a.py").write_text(f"import torch\n{text}")
    ran = torchlint("migrate", "--write")

    assert (ran.code, ran.out) == (0, "")
    assert not torchlint("--extend-select", "unused-ignore").err
    return Path("a.py").read_text().removeprefix("import torch\n")


def test_the_changes_are_shown_and_written_where_that_is_asked_for(torchlint: Torchlint) -> None:
    Path("a.py").write_text(f"import torch\n{_LOAD}  # noqa: TOR102\n")

    assert torchlint("migrate") == Ran(1, _DIFF, "Would change 1 file.\n")
    assert torchlint("migrate", "-q", "a.py") == Ran(1, _DIFF, "")
    assert torchlint("migrate", "--write") == Ran(0, "", "Changed 1 file.\n")
    assert torchlint("migrate") == Ran(0, "", "note: nothing to migrate\n")
    assert torchlint().code == 0


@pytest.mark.parametrize(
    ("comment", "becomes"),
    [
        ("# noqa: TOR102 our own file", "# torchlint: ignore[unsafe-load] our own file"),
        ("#noqa:TOR102", "# torchlint: ignore[unsafe-load]"),
        ("# NOQA : tor102", "# torchlint: ignore[unsafe-load]"),
        ("# noqa: E501,TOR102", "# noqa: E501  # torchlint: ignore[unsafe-load]"),
        ("# noqa: TOR102, E501, S301 ours", "# noqa: E501, S301 ours  # torchlint: ignore[unsafe-load]"),
        ("# noqa: E501 TOR102", "# noqa: E501  # torchlint: ignore[unsafe-load]"),
        ("# noqa: TOR102  # noqa: E501", "# torchlint: ignore[unsafe-load]  # noqa: E501"),
        ("# type: ignore  # noqa: TOR102", "# type: ignore  # torchlint: ignore[unsafe-load]"),
        # SonarQube goes on, and reads its own comment.
        ("# NOSONAR(S6985)", "# NOSONAR(S6985)  # torchlint: ignore[unsafe-load]"),
        ("# NOSONAR(S6985) ours", "# NOSONAR(S6985) ours  # torchlint: ignore[unsafe-load]"),
        ("# noqa: TOR102 # NOSONAR(S6985)", "# torchlint: ignore[unsafe-load] # NOSONAR(S6985)"),
        # It is there.
        ("# torchlint: ignore[unsafe-load]  # noqa: TOR102,E501", "# torchlint: ignore[unsafe-load]  # noqa: E501"),
        # These suppress here what they suppressed there, or something else.
        ("# noqa", "# noqa"),
        ("# noqa: E501", "# noqa: E501"),
        ("# noqa: TOR102A", "# noqa: TOR102A"),
        ("# TOR102 is about this", "# TOR102 is about this"),
    ],
)
def test_a_comment_becomes_one_of_ours_and_other_codes_stay(torchlint: Torchlint, comment: str, becomes: str) -> None:
    assert after(torchlint, f"{_LOAD}  {comment}\n") == f"{_LOAD}  {becomes}\n"


def test_of_several_counterparts_only_what_is_reported_there_is_named(torchlint: Torchlint) -> None:
    text = "x = torch.range(1, 3)  # noqa: TOR101\ny = torch.cuda.amp.autocast()  # noqa: TOR101\n"

    assert after(torchlint, text) == (
        "x = torch.range(1, 3)  # torchlint: ignore[deprecated-symbol]\n"
        "y = torch.cuda.amp.autocast()  # torchlint: ignore[legacy-amp]\n"
    )


def test_a_comment_where_no_rule_reports_anything_goes_and_is_noted(torchlint: Torchlint) -> None:
    text = 'import torch\n\nsafe = torch.load("best.pt", weights_only=True)  # noqa: TOR102 once\n# noqa: TOR102\n1\n'
    Path("a.py").write_text(text)

    ran = torchlint("migrate", "--write")

    assert Path("a.py").read_text() == 'import torch\n\nsafe = torch.load("best.pt", weights_only=True)\n1\n'
    assert ran.err == "note: no rule reports anything at a.py:3, a.py:4: these comments go\nChanged 1 file.\n"


def test_a_comment_in_a_statement_is_about_all_of_it(torchlint: Torchlint) -> None:
    text = 'state = torch.load(  # noqa: TOR102\n    "best.pt",\n    weights_only=False,\n)\n'

    assert after(torchlint, text) == text.replace("noqa: TOR102", "torchlint: ignore[unsafe-load]")


@pytest.mark.parametrize("word", ["flake8", "ruff"])
def test_a_comment_about_a_file_remains_one(torchlint: Torchlint, word: str) -> None:
    whole = f"# {word}: noqa: TOR102\n{_LOAD}\n"
    beside = f"# {word}: noqa: E501, TOR102\n{_LOAD}\n"

    assert after(torchlint, whole) == f"# torchlint: file-ignore[unsafe-load]\n{_LOAD}\n"
    assert after(torchlint, beside) == f"# torchlint: file-ignore[unsafe-load]\n# {word}: noqa: E501\n{_LOAD}\n"


def test_codes_without_a_counterpart_stay_and_are_listed_once_with_the_reason(torchlint: Torchlint) -> None:
    Path("a.py").write_text("import torch\none = 1.0  # noqa: TOR901\ntwo = 2.0  # noqa: TOR901,S1244\n")

    assert torchlint("migrate") == Ran(
        0,
        "",
        "note: S1244 (equality of floats) is not covered: a rule about Python, which pylint and ruff have\n"
        "note: TOR901 (`Library` in tests of PyTorch) is not covered: it is about PyTorch's own tests\n",
    )


def test_the_settings_of_a_project_do_not_hide_what_its_comments_are_about(torchlint: Torchlint) -> None:
    Path("torchlint.toml").write_text('ignore = ["unsafe-load"]\n')

    assert after(torchlint, f"{_LOAD}  # noqa: TOR102\n") == f"{_LOAD}  # torchlint: ignore[unsafe-load]\n"


def test_every_other_byte_of_a_file_stays(torchlint: Torchlint) -> None:
    lines = ["# -*- coding: latin-1 -*-", "import torch", f"{_LOAD}\t# noqa: TOR102", "name = 'Café'", "\x0c"]
    data = "\r\n".join(lines).encode("latin-1")
    Path("a.py").write_bytes(data)

    torchlint("migrate", "--write")

    assert Path("a.py").read_bytes() == data.replace(b"noqa: TOR102", b"torchlint: ignore[unsafe-load]")


def test_comments_of_notebooks_are_migrated(torchlint: Torchlint) -> None:
    sources = ["import torch\n", f"{_LOAD}  # noqa: TOR102"], [f"{_LOAD}  # noqa: E501,TOR102\n", "1"]
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    Path("a.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))

    assert torchlint("migrate", "--write").code == 0
    written = json.loads(Path("a.ipynb").read_text())["cells"]
    assert written[0]["source"][1] == f"{_LOAD}  # torchlint: ignore[unsafe-load]"
    assert written[1]["source"][0] == f"{_LOAD}  # noqa: E501  # torchlint: ignore[unsafe-load]\n"


def test_what_cannot_be_read_is_left_and_said_in_a_line(torchlint: Torchlint) -> None:
    Path("a.py").write_text("import torch\nx = (  # noqa: TOR102\n")
    Path("b.py").write_text(f"import torch\n{_LOAD}  # noqa: TOR102\n")

    ran = torchlint("migrate", "--write")

    assert ran.code == 2
    assert ran.err == "warning: a.py was not changed: '(' was never closed\nChanged 1 file.\n"


def test_a_path_that_is_not_there_is_an_error_in_a_line(torchlint: Torchlint) -> None:
    assert torchlint("migrate", "gone.py") == Ran(2, "", "error: path does not exist: gone.py\n")


def test_no_link_out_of_the_project_is_written_through(torchlint: Torchlint, tmp_path: Path) -> None:
    text = f"import torch\n{_LOAD}  # noqa: TOR102\n"
    (tmp_path / "outside.py").write_text(text)
    Path("a.py").symlink_to(tmp_path / "outside.py")

    ran = torchlint("migrate", "--write")

    assert ran == Ran(2, "", "warning: a.py was not changed: it is a link that leads out of the project\n")
    assert (tmp_path / "outside.py").read_text() == text
    assert Path("a.py").is_symlink()


def settings(torchlint: Torchlint, text: str, name: str = ".flake8") -> tuple[str, str]:
    """Return what a file of flake8 becomes, and `torchlint.toml` beside it."""
    Path(name).write_text(text)
    ran = torchlint("migrate", "--write", "-q")

    assert (ran.code, ran.out) == (0, "")
    assert torchlint("migrate", "-q").out == ""
    # Valid settings with known names.
    assert torchlint("--show-settings", "a.py").code in {0, 2}
    assert "torchlint.toml" not in torchlint("--show-settings", ".").err
    return Path(name).read_text(), Path("torchlint.toml").read_text() if Path("torchlint.toml").exists() else ""


_DEPRECATED = '["reentrant-checkpoint", "deprecated-symbol", "legacy-amp", "deprecated-argument"]'


@pytest.mark.parametrize(
    ("line", "becomes", "ours"),
    [
        ("extend-ignore = E203,TOR102", "extend-ignore = E203", 'ignore = ["unsafe-load"]'),
        ("ignore = TOR102, E203", "ignore = E203", 'ignore = ["unsafe-load"]'),
        ("ignore = E1 TOR102 TOR003 W5", "ignore = E1 W5", 'ignore = ["reentrant-checkpoint", "unsafe-load"]'),
        ("extend_ignore: TOR002", None, 'ignore = ["require-grad-typo"]'),
        ("ignore =\n    E203,\n    TOR102,\n    W503", "ignore =\n    E203,\n    W503", 'ignore = ["unsafe-load"]'),
        ("ignore =\n    # ours\n    TOR102\n    E2", "ignore =\n    # ours\n    E2", 'ignore = ["unsafe-load"]'),
        ("ignore = TOR102,TOR003,E2", "ignore = E2", 'ignore = ["reentrant-checkpoint", "unsafe-load"]'),
        # Together they are all of the rule.
        ("ignore = TOR101,TOR103", None, 'ignore = ["deprecated-symbol", "legacy-amp"]'),
        # Others are reported by the rule as well.
        ("ignore = TOR103,E2", "ignore = TOR103,E2", ""),
        ("ignore = TOR4,TOR901,E2", "ignore = TOR4,TOR901,E2", ""),
        ("select = E,F,TOR", "select = E,F", f"extend-select = {_DEPRECATED}"),
        ("extend-select = TOR102", None, ""),
        ("extend-select = TOR2,B", "extend-select = B", 'extend-select = ["deprecated-argument", "deprecated-symbol"]'),
        ("max-line-length = 100", "max-line-length = 100", ""),
        ("# ignore = TOR102", "# ignore = TOR102", ""),
    ],
)
def test_a_setting_of_flake8_becomes_one_of_ours(
    torchlint: Torchlint, line: str, becomes: str | None, ours: str
) -> None:
    text = "# flake8\n[flake8]\n{}\n\nmax-doc-length = 100\n\n[mypy]\nignore = TOR102\n"
    kept = text.format(becomes) if becomes is not None else text.replace("{}\n", "")

    assert settings(torchlint, text.format(line)) == (kept, f"{ours}\n" if ours else "")


@pytest.mark.parametrize(
    ("value", "becomes", "ours"),
    [
        ("\n    tests/*: E501,TOR102\n    b.py:F4", "\n    tests/*: E501\n    b.py:F4", '"tests/**" = ["unsafe-load"]'),
        (" a.py:TOR102 b.py:E5", " b.py:E5", '"a.py" = ["unsafe-load"]'),
        (
            "\n  ./src/*.py, b.py: TOR102\n  c.py: F",
            "\n  c.py: F",
            '"src/**/*.py" = ["unsafe-load"]\n"b.py" = ["unsafe-load"]',
        ),
        ("\n    a.py: TOR901", "\n    a.py: TOR901", ""),
    ],
)
def test_what_is_ignored_in_some_files_is_here_too(torchlint: Torchlint, value: str, becomes: str, ours: str) -> None:
    text = "[flake8]\nper-file-ignores ={}\n"
    lines = "".join(f"{line}\n" for line in sorted(ours.splitlines()))

    after, written = settings(torchlint, text.format(value), "setup.cfg")

    assert after == text.format(becomes)
    assert sorted(written.removeprefix("[per-file-ignores]\n").splitlines()) == lines.splitlines()


_FLAKE8 = "[flake8]\nextend-ignore = E203,TOR102\nper-file-ignores =\n    tests/*: TOR002\n"


_PROJECT = '[project]\nname = "a"\n'
_OURS = '[tool.torchlint]\nignore = ["unsafe-load"]\n'
_FILES = '\n[tool.torchlint.per-file-ignores]\n"tests/**" = ["require-grad-typo"]\n'
_NOTED = (
    '[tool.torchlint] # ours\nignore = [\n    "sync"{}, # slow\n]\n\n'
    '[tool.torchlint.per-file-ignores]\n{}"a.py" = ["device"]\n'
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_PROJECT, f"{_PROJECT}\n{_OURS}{_FILES}"),
        (_PROJECT.strip(), f"{_PROJECT}\n{_OURS}{_FILES}"),
        (_OURS, f"{_OURS}{_FILES}"),
        ("[tool.torchlint]\nignore = []\n" + _FILES, _OURS + _FILES),
        (_NOTED.format("", ""), _NOTED.format(', "unsafe-load"', '"tests/**" = ["require-grad-typo"]\n')),
    ],
)
def test_settings_are_added_to_those_of_the_project(torchlint: Torchlint, before: str, after: str) -> None:
    Path("pyproject.toml").write_text(before)
    Path("tox.ini").write_text(_FLAKE8)

    assert torchlint("migrate", "--write") == Ran(0, "", "Changed 2 files.\n")
    assert Path("pyproject.toml").read_text() == after
    assert Path("tox.ini").read_text() == "[flake8]\nextend-ignore = E203\n"
    assert torchlint("migrate") == Ran(0, "", "note: nothing to migrate\n")


def test_a_table_to_which_nothing_can_be_added_is_left_and_so_is_flake8s_file(torchlint: Torchlint) -> None:
    text = '[tool]\ntorchlint = {ignore = ["sync"]}\n'
    Path("pyproject.toml").write_text(text)
    Path("tox.ini").write_text(_FLAKE8)

    ran = torchlint("migrate", "--write")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        'warning: pyproject.toml was not changed: nothing can be added to it: write ignore = ["unsafe-load"];'
        ' per-file-ignores."tests/**" = ["require-grad-typo"]\n'
    )
    assert (Path("pyproject.toml").read_text(), Path("tox.ini").read_text()) == (text, _FLAKE8)


@pytest.mark.parametrize("name", ["pyproject.toml", "ruff.toml"])
def test_ruff_is_told_of_codes_as_long_as_comments_have_them(torchlint: Torchlint, name: str) -> None:
    table = "[tool.ruff.lint]" if name == "pyproject.toml" else "[lint]"
    Path(name).write_text(f'{table}\nexternal = ["TOR1", "V", "TOR9"]\n')
    Path("a.py").write_text(f"import torch\n{_LOAD}  # noqa: TOR102\nx = 1  # noqa: TOR901\n")

    assert torchlint("migrate", "--write").code == 0
    assert Path(name).read_text() == f'{table}\nexternal = ["V", "TOR9"]\n'


def test_newlines_and_a_mark_at_the_beginning_are_kept(torchlint: Torchlint) -> None:
    Path(".flake8").write_bytes(b"\xef\xbb\xbf[flake8]\r\nignore = E203,TOR102\r\n")

    assert torchlint("migrate", "--write").code == 0
    assert Path(".flake8").read_bytes() == b"\xef\xbb\xbf[flake8]\r\nignore = E203\r\n"


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        (".flake8", b"ignore = TOR102\n", ".flake8 is not valid: see line 1"),
        ("tox.ini", b"[flake8]\nignore = TOR102\nignore = E1\n", "tox.ini is not valid: see line 3"),
        ("setup.cfg", b"[flake8]\nignore = TOR102\nwhat\n", "setup.cfg is not valid: see line 3"),
        (".flake8", b"[flake8]\nignore = TOR102 \xff\n", ".flake8 is not valid UTF-8: byte 0xff at line 2, column 17"),
        (".flake8", b"[flake8]\r\nignore = TOR102\n", ".flake8 has two kinds of newlines: save it with one"),
        ("ruff.toml", b"[lint]\nexternal = [TOR]\n", "ruff.toml is not valid TOML: "),
    ],
)
def test_settings_that_cannot_be_read_are_an_error_and_nothing_is_written(
    torchlint: Torchlint, name: str, data: bytes, error: str
) -> None:
    Path(name).write_bytes(data)
    Path("a.py").write_text(f"import torch\n{_LOAD}  # noqa: TOR102\n")

    ran = torchlint("migrate", "--write")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {error}")
    assert Path("a.py").read_text().endswith("noqa: TOR102\n")


def test_no_link_to_a_file_that_is_not_there_is_written_through(torchlint: Torchlint, tmp_path: Path) -> None:
    Path("tox.ini").write_text(_FLAKE8)
    Path("torchlint.toml").symlink_to(tmp_path / "outside.toml")

    assert torchlint("migrate", "--write").code == 2
    assert not (tmp_path / "outside.toml").exists()


@pytest.mark.parametrize("name", ["tox.ini", "pyproject.toml"])
def test_no_link_to_settings_elsewhere_is_written_through(torchlint: Torchlint, tmp_path: Path, name: str) -> None:
    Path("tox.ini").write_text(_FLAKE8)
    outside = tmp_path / "outside"
    outside.write_text(_FLAKE8 if name == "tox.ini" else '[project]\nname = "a"\n')
    Path(name).unlink(missing_ok=True)
    Path(name).symlink_to(outside)
    before = outside.read_text()

    ran = torchlint("migrate", "--write")

    assert ran == Ran(2, "", f"warning: {name} was not changed: it is a link that leads out of the project\n")
    assert outside.read_text() == before
    assert Path("tox.ini").read_text() == _FLAKE8


def test_every_command_is_known_where_a_path_is_missing() -> None:
    assert set(commands.commands) == COMMANDS


def test_that_there_is_nothing_to_migrate_is_said(here: Path, torchlint: Torchlint) -> None:
    (here / "a.py").write_text("x = 1  # noqa: E501\n")

    assert torchlint("migrate") == Ran(0, "", "note: nothing to migrate\n")
    assert torchlint("migrate", "--quiet") == Ran(0, "", "")
