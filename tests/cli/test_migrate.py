"""`torchlint migrate`: comments for other linters become comments for our rules."""

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
    assert torchlint("migrate") == Ran(0, "", "")
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


def test_every_command_is_known_where_a_path_is_missing() -> None:
    assert set(commands.commands) == COMMANDS
