"""Tell what is there; what cannot be looked at is not, which whoever opens it will hear of.

`pathlib` raises, before Python 3.14, where a folder lets nobody look or a name is too long for a file.
"""

from __future__ import annotations

import os


def is_file(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path leads to a file that has an end, which no pipe and no device has."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path leads to a folder."""
    return os.path.isdir(path)  # noqa: PTH112


def is_present(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path leads to anything."""
    return os.path.exists(path)  # noqa: PTH110
