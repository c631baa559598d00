"""Files that are Python under another name, and files that are taken in by what they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Ran, Torchlint

_CUDA = 'import torch\n\nx = torch.ones(3, device="cuda")\n'


@pytest.fixture
def places(here: Path, torchlint: Torchlint) -> Torchlint:
    """Return what lints, and says in which files something was found."""
    for name in ("a.py", "b.txt", "c.tpl", "sub/d.txt", "sub/e.py"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(_CUDA)

    def ran(*words: str) -> Ran:
        done = torchlint("-q", "--output-format", "concise", "--no-cache", *words)
        return Ran(done.code, " ".join(line.partition(":")[0] for line in done.out.splitlines()), done.err)

    return ran


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (["b.txt"], "b.txt"),
        ([], "a.py b.txt sub/d.txt sub/e.py"),
        (["sub"], "sub/d.txt sub/e.py"),
        (["--extension", "tpl:python"], "a.py b.txt c.tpl sub/d.txt sub/e.py"),
        (["--exclude", "*.txt"], "a.py sub/e.py"),
    ],
)
def test_an_extension_is_linted_where_it_is_said_to_be_python(places: Torchlint, words: list[str], files: str) -> None:
    assert places("--extension", "txt:python", *words) == Ran(1, files, "")


def test_an_extension_holds_for_the_configuration_that_names_it(places: Torchlint, here: Path) -> None:
    (here / "torchlint.toml").write_text('extension = {txt = "python"}\n')

    assert places() == Ran(1, "a.py b.txt sub/d.txt sub/e.py", "")
    assert places("b.txt") == Ran(1, "b.txt", "")
    assert places("c.tpl").code == 2


def test_a_file_of_another_extension_is_fixed(places: Torchlint, here: Path) -> None:
    assert places("--extension", "txt:python", "--fix", "--unsafe-fixes", "b.txt") == Ran(0, "", "")
    assert "is_available()" in (here / "b.txt").read_text()


def test_what_was_looked_for_is_told_with_the_extension(places: Torchlint, here: Path, torchlint: Torchlint) -> None:
    (here / "none").mkdir()

    ran = torchlint("--extension", ".txt:python", "none")

    assert ran.err == "warning: no Python files found under none (checked .py, .pyi, .ipynb, .txt)\n"


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("txt", "--extension is EXT:python, such as `txt:python`, and not `txt`"),
        ("txt:ruby", "--extension is EXT:python, such as `txt:python`, and not `txt:ruby`"),
        ("py:python", "--extension: `py` is linted anyway, as what it is"),
        ("ipynb:python", "--extension: `ipynb` is linted anyway, as what it is"),
        ("a/b:python", "--extension: `a/b` is no extension of files, such as `txt`"),
    ],
)
def test_a_wrong_extension_is_told(torchlint: Torchlint, word: str, told: str) -> None:
    assert torchlint("--extension", word) == Ran(2, "", f"error: {told}\n")


def test_include_says_what_of_a_folder_is_linted(places: Torchlint, here: Path) -> None:
    (here / "torchlint.toml").write_text('include = ["sub/", "!sub/d.*"]\n')

    assert places() == Ran(1, "sub/e.py", "")
    assert places("a.py") == Ran(1, "a.py", "")
