"""Name files as a code host does: from the root of the repository."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from torchlint.files.existence import is_present
from torchlint.output.settings import OutputSettings

# Where the runners of GitHub, GitLab and Azure say that they checked the repository out.
_WORKSPACES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY")


def from_root(path: str, cwd: Path, root: str | None) -> str:
    """Return a path relative to `cwd` as one relative to the root, and unchanged if it is outside."""
    if not root:
        return path
    # Runners reach the workspace through links, and name it by them or not.
    place = Path(os.path.normpath(Path(os.path.realpath(cwd), path)))
    try:
        return place.relative_to(os.path.realpath(root)).as_posix()
    except ValueError:
        return path


def in_repository(path: str, out: OutputSettings) -> str:
    """Return a path from the root of the repository around the working directory, without any `.` or `//` in it."""
    return posixpath.normpath(from_root(path, out.cwd, _root(out.cwd)))


def _root(cwd: Path) -> str | None:
    """Return the root of the repository around a folder: from a runner's variable, else from git's folder."""
    here = Path(os.path.realpath(cwd))
    for name in _WORKSPACES:
        root = os.environ.get(name)
        if root and here.is_relative_to(os.path.realpath(root)):
            return root
    return next((str(folder) for folder in (here, *here.parents) if is_present(folder / ".git")), None)
