"""What a report is of: the commit that is checked out, as git's files say; git itself is not run."""

from __future__ import annotations

import os
import re
from pathlib import Path

from torchlint.files.regular import read_regular

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFERENCE = re.compile(r"refs/[\w./+@-]+")
_LARGEST = 1 << 20
# Where runners check out a merge that has no branch.
_VARIABLES = ("GITHUB_SHA", "CI_COMMIT_SHA", "BUILD_SOURCEVERSION")


def commit_of(folder: Path) -> str:
    """Return the commit that is checked out around a folder, empty without one that can be read."""
    here = Path(os.path.realpath(folder))
    places = (_git_folder(one / ".git") for one in (here, *here.parents))
    git = next((one for one in places if one is not None), None)
    if git is None:
        return _known(next((os.environ[name] for name in _VARIABLES if name in os.environ), ""))
    head = _text(git / "HEAD")
    reference = head.removeprefix("ref: ")
    if reference == head or _REFERENCE.fullmatch(reference) is None or ".." in reference:
        return _known(head)
    # The branches of a worktree are those of its repository.
    common = git / (_text(git / "commondir") or ".")
    return _known(_text(common / reference)) or _packed(common, reference)


def _git_folder(entry: Path) -> Path | None:
    """Return the folder of a `.git`, which is a file in worktrees and submodules."""
    if (entry / "HEAD").is_file():
        return entry
    where = _text(entry)
    return entry.parent / where.removeprefix("gitdir: ") if where.startswith("gitdir: ") else None


def _packed(common: Path, reference: str) -> str:
    lines = (line.partition(" ") for line in _text(common / "packed-refs").split("\n"))
    return next((_known(commit) for commit, _, name in lines if name == reference), "")


def _known(text: str) -> str:
    return text if _COMMIT.fullmatch(text) else ""


def _text(file: Path) -> str:
    try:
        return read_regular(file, _LARGEST).decode("utf-8", "replace").strip()
    except (OSError, ValueError):
        return ""
