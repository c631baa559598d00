"""How files are named where the root of the repository counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.output.reports import settings
from torchlint.output.repository import in_repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work" / "packages" / "net"
    place.mkdir(parents=True)
    return place


def named(path: str, cwd: Path) -> str:
    return in_repository(path, settings(cwd=cwd))


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY"])
def test_a_runner_says_where_the_root_is(variable: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, str(folder.parents[1]))

    assert named("src/a.py", folder) == "packages/net/src/a.py"


def test_elsewhere_git_says_where_the_root_is(folder: Path) -> None:
    (folder.parent / ".git").mkdir()

    assert named("../a.py", folder) == "a.py"
    assert named("a.py", folder) == "net/a.py"


def test_a_runner_that_works_elsewhere_says_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".git").mkdir()
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder.parent / "other"))

    assert named("a.py", folder) == "a.py"


def test_what_lies_outside_keeps_its_name(folder: Path) -> None:
    (folder / ".git").mkdir()

    assert named("../../x.py", folder) == "../../x.py"
    assert named("/etc/x.py", folder) == "/etc/x.py"
