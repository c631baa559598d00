"""Walk through the folders of a project, past what is not its own code.

Folders of a usual kind, what the configuration excludes and what git ignores are left out. Links to folders are
not followed: what they lead to is linted where it lies, or is somebody else's.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from torchlint.errors import in_words
from torchlint.gitignore import NAME, Ignored, is_ignored, read_patterns
from torchlint.notebook.names import SUFFIX as NOTEBOOK
from torchlint.present import is_file, is_present
from torchlint.report import RunError
from torchlint.shown import shown
from torchlint.skipped import is_environment, is_skipped

SUFFIXES = (".py", ".pyi", NOTEBOOK)
_REPOSITORY = ".git"

_Layers: TypeAlias = "tuple[Ignored, ...]"


@dataclass(slots=True)
class Walk:
    """A way through folders, and what was met there: what cannot be read, and how much git ignores."""

    excluded: Ignored | None = None
    heeds_git: bool = True
    suffixes: tuple[str, ...] = SUFFIXES
    errors: list[RunError] = field(default_factory=list[RunError])
    ignored: int = 0

    def files(self, start: Path) -> Iterator[os.DirEntry[str]]:
        """Yield the files of Python below a folder, even below one that would be left out below another."""
        waiting = [(str(start), tuple(self._above(start)))]
        while waiting:
            folder, layers = waiting.pop()
            entries = self._entries(folder)
            names = {entry.name for entry in entries}
            if folder != str(start) and is_environment(names):
                continue
            layers = self._layers(folder, names, layers)
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                if self._is_left_out(entry, is_folder, layers):
                    continue
                if is_folder:
                    waiting.append((entry.path, layers))
                else:
                    yield entry

    def unreadable(self, path: str | Path, error: OSError) -> None:
        """Note that something cannot be read."""
        name = shown(path)
        self.errors.append(RunError(name, "unreadable-path", f"cannot read {name}: {in_words(error)}"))

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.unreadable(folder, error)
            return []

    def _is_left_out(self, entry: os.DirEntry[str], is_folder: bool, layers: _Layers) -> bool:
        if is_skipped(entry.name) if is_folder else not self._is_python_file(entry):
            return True
        path = _posix(entry.path) + ("/" if is_folder else "")
        if self.excluded is not None and self.excluded.says_by_itself(path):
            return True
        is_left_out = is_ignored(path, layers)
        self.ignored += is_left_out
        return is_left_out

    def _is_python_file(self, entry: os.DirEntry[str]) -> bool:
        # A link may lead nowhere, as an editor's lock of a file does, or in circles.
        return entry.name.endswith(self.suffixes) and (entry.is_file(follow_symlinks=False) or is_file(entry.path))

    def _above(self, start: Path) -> Iterator[Ignored]:
        """Yield what is ignored from above a folder, outermost first: from the top of its repository, if it has one."""
        lineage = (start, *start.parents)
        top = next((index for index, folder in enumerate(lineage) if is_present(folder / _REPOSITORY)), 0)
        for folder in reversed(lineage[1 : top + 1]):
            yield from self._read(folder)

    def _layers(self, folder: str, names: Collection[str], layers: _Layers) -> _Layers:
        """Return what holds inside a folder: a repository inside another one has nothing of that one's."""
        return (*(() if _REPOSITORY in names else layers), *(self._read(Path(folder)) if NAME in names else ()))

    def _read(self, folder: Path) -> Iterator[Ignored]:
        try:
            if self.heeds_git and (ignored := read_patterns(folder)) is not None:
                yield ignored
        except OSError as error:
            self.unreadable(folder / NAME, error)


def _posix(path: str) -> str:
    return path.replace(os.sep, "/")
