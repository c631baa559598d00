"""The project of a file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from torchlint.files.checkout import BUILDS, has_any, is_project
from torchlint.files.existence import is_file, is_folder


def project_root(path: Path, named: Iterable[Path] = ()) -> Path:
    """Return the root of the project around a file, or around a folder that was named.

    That is the nearest folder up that has a project's configuration or repository; if there is none, the outermost of
    the folders `named` around the file, or else the folder around its outermost package. A package belongs to the
    project around it, if there is one, even if it is built on its own.
    """
    folder = path.absolute() if is_folder(path) else path.absolute().parent
    return root_of_folder(str(folder), [str(one.absolute()) for one in named])


def root_of_folder(folder: str, named: Iterable[str] = ()) -> Path:
    """Return the root of the project around a folder; all paths are absolute."""
    if (marked := _marked(folder)) is not None:
        return marked
    around = [one for one in named if os.path.join(folder, "").startswith(os.path.join(one, ""))]  # noqa: PTH118
    if around:
        return Path(min(around, key=len))
    return _built(folder) or _around_packages(Path(folder))


def forget_roots() -> None:
    """Drop the memo of roots: the files that make a folder a root may have changed."""
    _marked.cache_clear()
    _built.cache_clear()
    _around_packages.cache_clear()


@cache
def _marked(folder: str) -> Path | None:
    if is_project(folder):
        return Path(folder)
    above = os.path.dirname(folder)  # noqa: PTH120
    return _marked(above) if above != folder else None


@cache
def _built(folder: str) -> Path | None:
    if has_any(folder, BUILDS):
        return Path(folder)
    above = os.path.dirname(folder)  # noqa: PTH120
    return _built(above) if above != folder else None


@cache
def _around_packages(folder: Path) -> Path:
    return _around_packages(folder.parent) if is_file(folder / "__init__.py") else folder
