"""Name files as a code host does: from the root of the repository."""

from __future__ import annotations

import os
from pathlib import Path


def from_root(path: str, cwd: Path, root: str | None) -> str:
    """Return a path relative to `cwd` as one relative to the root, and unchanged where it leads elsewhere."""
    if not root:
        return path
    # Runners reach the workspace through links, and name it by them or not as they like.
    place = Path(os.path.normpath(Path(os.path.realpath(cwd), path)))
    try:
        return place.relative_to(os.path.realpath(root)).as_posix()
    except ValueError:
        return path
