"""The Python files below a root: the whole project, whichever of them are linted."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from torchlint.files.gitignore import Ignored, is_ignored, read_patterns
from torchlint.files.skipped import is_environment, is_skipped, may_be_made

_MARKS = (".torchlint.toml", "torchlint.toml", ".git")
# Packages have these too, to build an extension of theirs.
BUILDS = ("pyproject.toml", "setup.py", "setup.cfg")
_MOST_FILES = 20_000
# A script in a home directory is no project of all that is below it.
_MOST_AROUND = 500
_SUFFIX = ".py"


@dataclass(frozen=True, slots=True)
class Checkout:
    """Files in order, the folders that were visited, and those that were passed over, all by absolute paths."""

    files: tuple[str, ...]
    folders: frozenset[str]
    passed_over: frozenset[str]


def is_project(folder: str) -> bool:
    """Tell whether a folder has a project's configuration or repository, or is built and no package itself."""
    return has_any(folder, _MARKS) or (has_any(folder, BUILDS) and not has_any(folder, ("__init__.py",)))


def has_any(folder: str, names: Iterable[str]) -> bool:
    """Tell whether a folder contains any of some names."""
    # Hundreds of folders, with six probes each: pathlib takes four times as long.
    return any(os.path.exists(os.path.join(folder, name)) for name in names)  # noqa: PTH110, PTH118


def checkout(root: str, linted: int = 0) -> Checkout:
    """Return the files below a root; links to folders are not followed, and what cannot be read is left out.

    If nothing shows that the root is a project, folders are passed over once there are many more files than those that
    are `linted`, the deepest ones first.
    """
    most = _MOST_FILES if is_project(root) else _MOST_AROUND + 2 * linted
    files: list[str] = []
    folders: set[str] = set()
    passed_over: set[str] = set()
    waiting = deque([root])
    while waiting:
        folder = waiting.popleft()
        if len(files) >= most:
            passed_over.add(folder)
            continue
        entries = _entries(folder)
        if folder != root and is_environment({entry.name for entry in entries}):
            passed_over.add(folder)
            continue
        folders.add(folder)
        inner = [entry for entry in entries if _is_folder(entry)]
        files += (entry.path for entry in entries if entry.name.endswith(_SUFFIX) and _is_file(entry))
        walked = [entry.path for entry in inner if not (entry.is_symlink() or _is_foreign(entry, root))]
        passed_over.update(entry.path for entry in inner if entry.path not in walked)
        waiting += walked
    return Checkout(tuple(files), frozenset(folders), frozenset(passed_over))


def _is_foreign(entry: os.DirEntry[str], root: str) -> bool:
    """Tell whether a folder is none of the project's own code."""
    return is_skipped(entry.name) or (may_be_made(entry.name) and _is_ignored(entry.path, root))


def _is_ignored(folder: str, root: str) -> bool:
    """Tell whether git ignores a folder, as far as files below the root say."""
    around = Path(folder).parents
    layers = (_ignored_in(one) for one in reversed(around) if one == Path(root) or Path(root) in one.parents)
    return is_ignored(f"{Path(folder).as_posix()}/", [one for one in layers if one is not None])


def _ignored_in(folder: Path) -> Ignored | None:
    try:
        return read_patterns(folder)
    except OSError:
        return None


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        # Reading a pipe with the name of a Python file would block.
        return entry.is_file()
    # A cycle of links.
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    # A cycle of links.
    except OSError:
        return False
