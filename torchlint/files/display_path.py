"""How torchlint names files in what it prints."""

from __future__ import annotations

import os


def shown(path: str | os.PathLike[str]) -> str:
    """Return a path with `/`, relative to where torchlint runs; absolute for what lies outside."""
    absolute, here = os.path.abspath(path), os.getcwd()  # noqa: PTH100, PTH109  pathlib takes ten times as long
    if absolute == here:
        return "."
    return absolute.removeprefix(os.path.join(here, "")).replace(os.sep, "/")  # noqa: PTH118
