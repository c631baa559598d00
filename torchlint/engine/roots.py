"""Which project a file is of."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from torchlint.present import is_file, is_folder

_MARKS = (".torchlint.toml", "torchlint.toml", ".git")
# What also lies in packages, to build an extension of theirs.
_BUILDS = ("pyproject.toml", "setup.py", "setup.cfg")


def project_root(path: Path, named: Iterable[Path] = ()) -> Path:
    """Return the root of the project around a file, or around a folder that was named.

    That is the nearest folder up that holds a project's configuration or repository; where there is none, the
    outermost of the folders `named` that the file lies in, or else the folder around its outermost package. A package
    is of the project around it, where there is one, even if it is built on its own.
    """
    folder = path.absolute() if is_folder(path) else path.absolute().parent
    return root_of_folder(str(folder), [str(one.absolute()) for one in named])


def root_of_folder(folder: str, named: Iterable[str] = ()) -> Path:
    """Return the root of the project around a folder; all are whole paths."""
    if (marked := _marked(folder)) is not None:
        return marked
    around = [one for one in named if os.path.join(folder, "").startswith(os.path.join(one, ""))]  # noqa: PTH118
    if around:
        return Path(min(around, key=len))
    return _built(folder) or _around_packages(Path(folder))


def forget_roots() -> None:
    """Look again for what makes a folder a root: somebody may have made or removed it."""
    _marked.cache_clear()
    _built.cache_clear()
    _around_packages.cache_clear()


@cache
def _marked(folder: str) -> Path | None:
    if _has_any(folder, _MARKS) or (_has_any(folder, _BUILDS) and not _has_any(folder, ("__init__.py",))):
        return Path(folder)
    above = os.path.dirname(folder)  # noqa: PTH120
    return _marked(above) if above != folder else None


@cache
def _built(folder: str) -> Path | None:
    if _has_any(folder, _BUILDS):
        return Path(folder)
    above = os.path.dirname(folder)  # noqa: PTH120
    return _built(above) if above != folder else None


def _has_any(folder: str, names: Iterable[str]) -> bool:
    # Hundreds of folders, of each of which six files are asked for: pathlib takes four times as long.
    return any(os.path.exists(os.path.join(folder, name)) for name in names)  # noqa: PTH110, PTH118


@cache
def _around_packages(folder: Path) -> Path:
    return _around_packages(folder.parent) if is_file(folder / "__init__.py") else folder
