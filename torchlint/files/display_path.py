"""The names of files in output."""

from __future__ import annotations

import os


def shown(path: str | os.PathLike[str]) -> str:
    """Return a path with `/`, relative to the working directory; absolute for what is outside."""
    absolute, here = os.path.abspath(path), os.getcwd()  # noqa: PTH100, PTH109  pathlib takes ten times as long
    if absolute == here:
        return "."
    return absolute.removeprefix(os.path.join(here, "")).replace(os.sep, "/")  # noqa: PTH118
