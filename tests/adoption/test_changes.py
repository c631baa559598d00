"""Which lines have changed since a commit, asked of real repositories."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.adoption.reports import found
from torchlint.adoption import changes_since
from torchlint.errors import UsageError

_TEXT = "".join(f"x{number} = {number}\n" for number in range(1, 10))


def git(*words: str | Path, cwd: Path) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *identity, *words], cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with one commit of a file with nine lines."""
    top = tmp_path / "top"
    top.mkdir()
    git("init", "--quiet", cwd=top)
    committed(top, "a.py", _TEXT)
    return top


def committed(top: Path, name: str, text: str) -> None:
    (top / name).parent.mkdir(parents=True, exist_ok=True)
    (top / name).write_text(text)
    git("add", "--all", cwd=top)
    git("commit", "--quiet", "-m", name, cwd=top)


def changed(top: Path, name: str = "a.py", reference: str = "HEAD", folder: Path | None = None) -> list[int]:
    """Return the first ten lines of a file that have changed."""
    changes = changes_since(reference, folder or top)
    return [line for line in range(1, 11) if changes.touch(top / name, found(name, line).span)]


def test_lines_that_are_added_or_edited_have_changed_and_those_around_have_not(repository: Path) -> None:
    lines = _TEXT.splitlines(keepends=True)
    (repository / "a.py").write_text("".join([*lines[:2], "new = 1\n", *lines[2:5], "x6 = 0\n", *lines[7:]]))

    assert changed(repository) == [3, 7]


def test_a_finding_over_several_lines_has_changed_with_any_of_them(repository: Path) -> None:
    (repository / "a.py").write_text(_TEXT.replace("x5 = 5", "x5 = 0"))
    changes = changes_since("HEAD", repository)

    touched = [
        changes.touch(repository / "a.py", found("a.py", *ends).span)
        for ends in ((3, "r", 6), (1, "r", 4), (6, "r", 9))
    ]

    assert touched == [True, False, False]


def test_what_the_index_and_later_commits_hold_has_changed(repository: Path) -> None:
    committed(repository, "a.py", f"{_TEXT}x10 = 10\n")
    (repository / "a.py").write_text(f"x0 = 0\n{_TEXT}x10 = 10\n")
    git("add", "a.py", cwd=repository)

    changes = changes_since("HEAD~1", repository)

    assert [line for line in range(1, 12) if changes.touch(repository / "a.py", found("a.py", line).span)] == [1, 11]


def test_what_happened_on_the_other_branch_since_is_not_ours(repository: Path) -> None:
    git("checkout", "--quiet", "-b", "work", cwd=repository)
    committed(repository, "a.py", _TEXT.replace("x9 = 9", "x9 = 0"))
    git("checkout", "--quiet", "main", cwd=repository)
    committed(repository, "a.py", _TEXT.replace("x1 = 1\n", ""))
    git("checkout", "--quiet", "work", cwd=repository)

    assert changed(repository, reference="main") == [9]


@pytest.mark.parametrize("name", ["new.py", "a b.py", "é/深.py", 'quo"te\\.py', "tab\there.py", "b/b/x.py", "+++ b"])
def test_files_that_are_new_have_changed_throughout_whatever_they_are_called(repository: Path, name: str) -> None:
    file = repository / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_TEXT)
    untracked = changed(repository, name)
    git("add", "--intent-to-add", name, cwd=repository)

    assert untracked == [*range(1, 11)]
    assert changed(repository, name)[:9] == [*range(1, 10)]

    committed(repository, name, _TEXT)
    assert changed(repository, name) == []


def test_a_file_that_moved_has_changed_where_it_was_edited(repository: Path) -> None:
    git("mv", "a.py", "b.py", cwd=repository)
    (repository / "b.py").write_text(_TEXT.replace("x2 = 2", "x2 = 0"))

    assert changed(repository, "b.py") == [2]


def test_text_that_looks_like_a_patch_is_text(repository: Path) -> None:
    (repository / "a.py").write_text(f"++ b/z.py\n@@ -1 +7 @@\n{_TEXT}")

    assert changed(repository) == [1, 2]


def test_the_configuration_of_the_repository_changes_nothing(repository: Path) -> None:
    for key, value in (
        ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"), ("color.ui", "always"), ("diff.context", "9"),
        ("diff.external", "false"), ("diff.interHunkContext", "9"), ("core.fsmonitor", "false"),
        ("diff.relative", "true"),
    ):  # fmt: skip
        git("config", key, value, cwd=repository)
    (repository / "a.py").write_text(_TEXT.replace("x2 = 2", "x2 = 0").replace("x4 = 4", "x4 = 0"))
    (repository / "below").mkdir()

    assert changed(repository, folder=repository / "below") == [2, 4]


def test_a_hook_asks_about_the_repository_that_is_linted(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository.parent / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository.parent / "index"))

    assert changed(repository) == []


def test_files_of_a_submodule_have_not_changed(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git("init", "--quiet", cwd=other)
    committed(other, "m.py", _TEXT)
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub", cwd=repository)
    git("commit", "--quiet", "-m", "sub", cwd=repository)

    assert changed(repository, "sub/m.py") == []


@pytest.mark.parametrize("reference", ["nowhere", "-1", "HEAD~9", "", "HEAD:a.py"])
def test_a_commit_that_is_not_there_is_told_in_a_line(repository: Path, reference: str) -> None:
    with pytest.raises(UsageError) as refused:
        changes_since(reference, repository)

    where = repository.as_posix()
    assert str(refused.value) == (
        f"git finds no commit `{reference}` in {where}: name one for --diff-base, or fetch it"
    )


def test_histories_that_never_met_are_told(repository: Path) -> None:
    git("checkout", "--quiet", "--orphan", "lonely", cwd=repository)
    committed(repository, "b.py", _TEXT)

    with pytest.raises(UsageError, match="`main` and what is checked out have no commit in common: fetch"):
        changes_since("main", repository)


def test_a_shallow_clone_is_told_how_to_fetch_the_rest(repository: Path, tmp_path: Path) -> None:
    committed(repository, "b.py", _TEXT)
    git("clone", "--quiet", "--depth=1", f"file://{repository}", "shallow", cwd=tmp_path)
    clone = tmp_path / "shallow"

    with pytest.raises(UsageError, match=r"(?s)git finds no commit `HEAD~1`.*`fetch-depth: 0`"):
        changes_since("HEAD~1", clone)
    git("fetch", "--quiet", "--unshallow", cwd=clone)

    assert changed(clone, reference="HEAD~1") == []


def test_a_folder_outside_any_repository_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^--diff-base: git says: not a git repository[^\n]*$"):
        changes_since("HEAD", tmp_path)


def test_a_machine_without_git_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path))

    with pytest.raises(UsageError, match=r"^--diff-base asks git, which is not on the PATH$"):
        changes_since("HEAD", tmp_path)
