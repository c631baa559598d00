"""A cache that came with a project never leads to writing or removing anything outside of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.trust.running import torchlint
from torchlint.cache import FOLDER, Folder

_TAG = "CACHEDIR.TAG"
_KEY = "0123456789abcdef" * 2


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project with a finding, beside an unrelated folder."""
    top = tmp_path / "project"
    (top / ".git").mkdir(parents=True)
    (top / "a.py").write_text('import torch\nx = torch.ones(3, device="cuda")\n')
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    for number in range(20):
        (theirs / f"{number}.cache").write_text("theirs")
    return top


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_cache_that_is_a_link_is_left_alone_and_named(project: Path) -> None:
    theirs = project.parent / "theirs"
    before = _names(theirs)
    (project / FOLDER).symlink_to(theirs)

    done = torchlint("-q", ".", cwd=project)

    assert _names(theirs) == before
    assert done.returncode == 1
    assert done.stderr == (
        f"warning: {FOLDER} is a symbolic link: nothing is kept there; --cache-dir names a folder elsewhere\n"
    )


def test_a_link_to_a_folder_that_is_not_there_makes_none(project: Path) -> None:
    (project / FOLDER).symlink_to(project.parent / "made")

    torchlint("-q", ".", cwd=project)

    assert not (project.parent / "made").exists()


def test_a_link_on_the_way_to_the_cache_is_not_followed_either(project: Path) -> None:
    theirs = project.parent / "theirs"
    before = _names(theirs)
    (project / "inner").symlink_to(theirs)
    (project / "torchlint.toml").write_text('cache-dir = "inner/kept"\n')

    torchlint("-q", ".", cwd=project)

    assert _names(theirs) == before


def test_what_a_project_names_outside_of_it_is_not_ignored_from_then_on(project: Path) -> None:
    theirs = project.parent / "theirs"
    (project / "torchlint.toml").write_text('cache-dir = "../theirs"\n')

    torchlint("-q", ".", cwd=project)

    assert [name for name in _names(theirs) if name in (".gitignore", _TAG)] == []
    assert len([name for name in _names(theirs) if name[:-6].isdigit()]) >= 20


def test_a_cache_that_the_user_links_to_is_used(project: Path) -> None:
    (project.parent / "scratch").mkdir()
    (project.parent / "link").symlink_to(project.parent / "scratch")

    torchlint("-q", "--cache-dir", "../link", ".", cwd=project)

    assert _TAG in _names(project.parent / "scratch")


@pytest.mark.parametrize("name", [_TAG, ".gitignore", f"{_KEY}.cache", f"{_KEY}.PID.tmp"])
@pytest.mark.parametrize("is_there", [True, False])
def test_links_inside_a_cache_are_not_followed(project: Path, name: str, is_there: bool) -> None:
    folder = Folder(project / FOLDER, project)
    folder.path.mkdir()
    victim = project.parent / "victim"
    if is_there:
        victim.write_text("theirs")
    (folder.path / name.replace("PID", str(os.getpid()))).symlink_to(victim)

    folder.keep(_KEY, b"head", b"tail")

    assert (victim.read_text() if victim.exists() else None) == ("theirs" if is_there else None)


def test_inner_folders_that_are_links_are_not_looked_into(project: Path) -> None:
    torchlint("-q", ".", cwd=project)
    theirs = project.parent / "theirs"
    before = _names(theirs)
    (project / FOLDER / f"{_KEY}.cache").symlink_to(theirs)
    for number in range(20):
        (project / FOLDER / f"{number:032x}.cache").symlink_to(theirs / f"{number}.cache")

    (project / "a.py").write_text("import torch\n")
    torchlint("-q", ".", cwd=project)
    torchlint("clean", cwd=project)

    assert _names(theirs) == before
    assert not (project / FOLDER).exists()


@pytest.mark.parametrize("is_tagged", [True, False])
def test_clean_removes_nothing_behind_a_link(project: Path, is_tagged: bool) -> None:
    theirs = project.parent / "theirs"
    if is_tagged:
        other = Folder(theirs)
        (theirs / _TAG).write_text(_signature(project.parent / "other"))
        other.keep(_KEY, b"head", b"tail")
    before = _names(theirs)
    (project / FOLDER).symlink_to(theirs)

    done = torchlint("clean", cwd=project)

    assert _names(theirs) == before
    assert done.stderr == f"error: {project / FOLDER} is a symbolic link: what it leads to is left as it is\n"
    assert done.returncode == 2


def _signature(scratch: Path) -> str:
    Folder(scratch).keep(_KEY, b"head", b"tail")
    return (scratch / _TAG).read_text()


def test_clean_removes_what_is_called_as_ours_is_and_nothing_else(project: Path) -> None:
    torchlint("-q", ".", cwd=project)
    (project / FOLDER / "mine.cache").write_text("mine")

    done = torchlint("clean", cwd=project)

    assert _names(project / FOLDER) == ["mine.cache"]
    assert done.returncode == 2
