"""Tell what exists; what cannot be read counts as missing, and opening it reports that.

Before Python 3.14, `pathlib` raises if a folder may not be read or a name is too long for a file.
"""

from __future__ import annotations

import os


def is_file(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path leads to a file of finite size, not to a pipe or a device."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path leads to a folder."""
    return os.path.isdir(path)  # noqa: PTH112


def is_present(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path leads to anything."""
    return os.path.exists(path)  # noqa: PTH110
