"""Where the modules of the model are: in folders that say what they know, and that CONTRIBUTING.md lists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

_CHECKOUT = Path(__file__).parents[2]
_MODEL = _CHECKOUT / "torchlint" / "model"
_BELOW = [_CHECKOUT / "torchlint" / name for name in ("edits", "inference/engine", "project", "pytorch", "syntax")]
_FOLDERS = sorted([*_BELOW, *(path.parent for path in _MODEL.glob("*/__init__.py"))])
_MODULES = sorted(path for folder in (_MODEL, *_BELOW) for path in folder.rglob("*.py"))
_MOST_LINES = 250
_MOST_LINES_OF_TESTS = 600


def test_contributing_lists_every_folder() -> None:
    rows = (_CHECKOUT / "CONTRIBUTING.md").read_text("utf-8").splitlines()
    listed = [row for row in rows if row.startswith("| `") and row.split("`")[1].endswith("/")]

    assert sorted(listed) == sorted(
        f"| `{folder.relative_to(_CHECKOUT / 'torchlint')}/` | {_first_line(folder / '__init__.py')} |"
        for folder in _FOLDERS
    )


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: path.relative_to(_CHECKOUT).as_posix())
def test_a_module_says_what_it_knows(path: Path) -> None:
    assert _first_line(path).endswith((".", "?", "…"))


def test_no_module_is_long() -> None:
    paths = [path for folder in ("torchlint", "rules") for path in (_CHECKOUT / folder).rglob("*.py")]

    assert [str(path) for path in paths if len(path.read_text("utf-8").splitlines()) > _MOST_LINES] == []


@pytest.mark.parametrize("folder", sorted(path.name for path in (_CHECKOUT / "tests").iterdir() if path.is_dir()))
def test_a_module_of_tests_is_no_book(folder: str) -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in (_CHECKOUT / "tests" / folder).rglob("*.py")}

    assert [str(path) for path, lines in lengths.items() if lines > _MOST_LINES_OF_TESTS] == []


def _first_line(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
