"""Which project a file is of."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from torchlint.present import is_file, is_folder, is_present

_MARKS = (".torchlint.toml", "torchlint.toml", "pyproject.toml", "setup.py", "setup.cfg", ".git")


def project_root(path: Path, named: Iterable[Path] = ()) -> Path:
    """Return the root of the project around a file, or around a folder that was named.

    That is the nearest folder up that holds a project's configuration or repository; where there is none, the
    outermost of the folders `named` that the file lies in, or else the folder around its outermost package.
    """
    folder = path.absolute() if is_folder(path) else path.absolute().parent
    if (marked := _marked(folder)) is not None:
        return marked
    around = [one.absolute() for one in named if folder.is_relative_to(one.absolute())]
    return min(around, key=lambda one: len(one.parts), default=None) or _around_packages(folder)


def forget_roots() -> None:
    """Look again for what makes a folder a root: somebody may have made or removed it."""
    _marked.cache_clear()
    _around_packages.cache_clear()


@cache
def _marked(folder: Path) -> Path | None:
    if any(is_present(folder / mark) for mark in _MARKS):
        return folder
    return _marked(folder.parent) if folder != folder.parent else None


@cache
def _around_packages(folder: Path) -> Path:
    return _around_packages(folder.parent) if is_file(folder / "__init__.py") else folder
