"""The configuration that holds is the nearest one up."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.config import find_config, load_config
from torchlint.errors import UsageError

OURS = "[tool.torchlint]\n"


def test_in_one_folder_our_own_files_come_first(project: Path) -> None:
    files = [project / name for name in (".torchlint.toml", "torchlint.toml", "pyproject.toml")]
    for file in files:
        file.write_text(OURS)

    found = []
    for file in files:
        found.append(find_config(project))
        file.unlink()

    assert found == files


def test_the_nearest_one_up_holds_for_a_file(project: Path) -> None:
    source = project / "src" / "net" / "train.py"
    source.parent.mkdir(parents=True)
    source.touch()
    (project / "torchlint.toml").touch()
    (project / "src" / "pyproject.toml").write_text(OURS)

    assert find_config(source) == project / "src" / "pyproject.toml"
    assert find_config(Path("src/net")) == project / "src" / "pyproject.toml"
    assert find_config(project) == project / "torchlint.toml"


@pytest.mark.parametrize(
    "other",
    [
        "[project]\nname = 'net'",
        "[dependency-groups]\nlint = ['torchlint']",
        "[tool]\nruff = 1  # torchlint",
        "[[broken",
    ],
)
def test_a_pyproject_that_says_nothing_to_us_is_passed_over(project: Path, other: str) -> None:
    (project / "torchlint.toml").touch()
    (project / "src").mkdir()
    (project / "src" / "pyproject.toml").write_text(other)

    assert find_config(project / "src") == project / "torchlint.toml"


def test_a_broken_pyproject_that_may_mean_us_is_told_and_not_passed_over(project: Path) -> None:
    file = project / "pyproject.toml"
    file.write_text("[tool.torchlint\nignore = []")

    found = find_config(project)

    assert found == file
    with pytest.raises(UsageError, match=r"pyproject\.toml is not valid TOML: .*\n  --> pyproject\.toml:1:16"):
        load_config(found)


def test_a_folder_is_no_configuration(project: Path) -> None:
    (project / "pyproject.toml").write_text(OURS)
    (project / "torchlint.toml").mkdir()

    assert find_config(project) == project / "pyproject.toml"
