"""The Python files below a root: all that a project is, whatever of it is linted."""

from __future__ import annotations

import os
from dataclasses import dataclass

from torchlint.skipped import is_environment, is_skipped

_MOST_FILES = 20_000
_SUFFIX = ".py"


@dataclass(frozen=True, slots=True)
class Checkout:
    """Files in order, the folders that were walked through, and those that were passed over, all by whole paths."""

    files: tuple[str, ...]
    folders: frozenset[str]
    passed_over: frozenset[str]


def checkout(root: str) -> Checkout:
    """Return what there is below a root; no link to a folder is followed, and what cannot be read is not there."""
    files: list[str] = []
    folders: set[str] = set()
    passed_over: set[str] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        entries = _entries(folder)
        if folder != root and is_environment({entry.name for entry in entries}):
            passed_over.add(folder)
            continue
        folders.add(folder)
        inner = [entry for entry in entries if _is_folder(entry)]
        files += (entry.path for entry in entries if entry.name.endswith(_SUFFIX) and _is_file(entry))
        walked = [entry.path for entry in inner if not is_skipped(entry.name) and not entry.is_symlink()]
        passed_over.update(entry.path for entry in inner if entry.path not in walked)
        waiting += reversed(walked)
    return Checkout(tuple(files[:_MOST_FILES]), frozenset(folders), frozenset(passed_over))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        # A pipe that is called like a file of Python would block whoever reads it.
        return entry.is_file()
    # A link that leads in circles.
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    # A link that leads in circles.
    except OSError:
        return False
