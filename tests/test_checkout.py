"""How much of what is below a folder is a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.files.checkout import checkout

MANY = 600


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a folder with a script, a neighbour in a package, and a large tree deep below."""
    for name in ("script.py", "package/__init__.py", "package/part.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    for folder in ("downloads/first/source", "downloads/second/source"):
        (tmp_path / folder).mkdir(parents=True)
        for number in range(MANY):
            (tmp_path / folder / f"part{number}.py").touch()
    return tmp_path


def names(found: tuple[str, ...], root: Path) -> set[str]:
    return {str(Path(path).relative_to(root)) for path in found}


def test_a_script_is_of_what_lies_around_it_and_not_of_all_that_lies_below(home: Path) -> None:
    found = checkout(str(home))

    assert names(found.files, home) >= {"script.py", "package/__init__.py", "package/part.py"}
    assert len(found.files) == MANY + 3
    assert found.passed_over == {str(home / "downloads/second/source")}


@pytest.mark.parametrize("mark", [".git", "pyproject.toml", ".torchlint.toml"])
def test_a_project_is_all_that_lies_below(home: Path, mark: str) -> None:
    (home / mark).touch()

    assert len(checkout(str(home)).files) == 2 * MANY + 3


def test_where_many_files_are_linted_many_more_are_looked_at(home: Path) -> None:
    assert len(checkout(str(home), linted=MANY).files) == 2 * MANY + 3
