"""Walk the folders of a project, without what is not its own code.

What the configuration excludes, which by default are usual names of folders, and what git ignores is left out, and
counted. Links to folders are not followed: their target is linted where it is, or is no code of the project.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from torchlint.errors import RunError, in_words
from torchlint.files.display_path import shown
from torchlint.files.existence import is_file, is_folder, is_present
from torchlint.files.gitignore import NAME, Ignored, is_ignored, read_patterns
from torchlint.files.leftout import DANGLING, ENVIRONMENT, EXCLUDE, GITIGNORE, IRREGULAR, LINKED, LeftOut
from torchlint.files.notebook_names import SUFFIX as NOTEBOOK
from torchlint.files.skipped import is_environment

SUFFIXES = (".py", ".pyi", NOTEBOOK)
_REPOSITORY = ".git"
# Emacs marks a file that is being edited with a link that leads nowhere.
_LOCK = ".#"
# Counting what is left out is limited: the folders may hold data.
_MOST_LOOKS = 10_000
_UNCOUNTED = "too much to count what is left out"
_USUAL = f"default of {EXCLUDE}"

_Layers: TypeAlias = "tuple[Ignored, ...]"


@dataclass(slots=True)
class Walk:
    """A walk through folders, with what cannot be read, and what is left out.

    Below any folder, those of the `usual` names are passed over, unless `excluded` includes one again.
    """

    excluded: Ignored | None = None
    usual: frozenset[str] = frozenset()
    respects_git: bool = True
    suffixes: tuple[str, ...] = SUFFIXES
    errors: list[RunError] = field(default_factory=list[RunError])
    left_out: LeftOut = field(default_factory=LeftOut)
    _looks: int = 0
    _links: list[str] = field(default_factory=list[str])

    def files(self, start: Path) -> Iterator[os.DirEntry[str]]:
        """Yield the Python files below a folder, even below one that would be left out below another."""
        waiting = [(str(start), tuple(self._above(start)))]
        while waiting:
            folder, layers = waiting.pop()
            entries = self._entries(folder)
            names = {entry.name for entry in entries}
            if folder != str(start) and is_environment(names):
                self.left_out.pass_over(folder, ENVIRONMENT)
                continue
            layers = self._layers(folder, names, layers)
            for entry in entries:
                is_below = entry.is_dir(follow_symlinks=False)
                if not (is_below or self._is_python_file(entry)):
                    self._note_other(entry, layers)
                    continue
                if self._is_usual(entry, is_below):
                    self.left_out.pass_over(entry.path, _USUAL)
                elif why := self._leaves_out(entry, is_below, layers):
                    self.left_out.files[why] += self._python_files_below(entry.path) if is_below else 1
                elif is_below:
                    waiting.append((entry.path, layers))
                else:
                    yield entry

    def count_links(self, folders: Collection[Path]) -> None:
        """Count the files behind links to folders, unless these are below folders that are walked."""
        walked = [folder.resolve() for folder in folders] if self._links else []
        for link in self._links:
            target = Path(os.path.realpath(link))
            if not any(map(target.is_relative_to, walked)) and (files := self._python_files_below(link)):
                self.left_out.files[LINKED] += files
                self.left_out.pass_over(link, "link to a folder")

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

    def _note_other(self, entry: os.DirEntry[str], layers: _Layers) -> None:
        """Note what is neither a folder nor a regular file but may hold Python; the locks of an editor do not."""
        is_python, is_lock = entry.name.endswith(self.suffixes), entry.name.startswith(_LOCK)
        if is_lock or entry.name in self.usual or not (is_python or entry.is_symlink()):
            return
        leads_to_folder = is_folder(entry.path)
        if not (is_python or leads_to_folder) or self._leaves_out(entry, leads_to_folder, layers):
            return
        if leads_to_folder:
            self._links.append(entry.path)
            return
        why = IRREGULAR if is_present(entry.path) else DANGLING
        self.left_out.files[why] += 1
        self.left_out.pass_over(entry.path, why)

    def _is_usual(self, entry: os.DirEntry[str], is_folder: bool) -> bool:
        if not is_folder or entry.name not in self.usual:
            return False
        return self.excluded is None or self.excluded.says_by_itself(f"{_posix(entry.path)}/") is not False

    def _leaves_out(self, entry: os.DirEntry[str], is_folder: bool, layers: _Layers) -> str:
        """Return what leaves something out, empty if it is included."""
        path = _posix(entry.path) + ("/" if is_folder else "")
        if self.excluded is not None and self.excluded.says_by_itself(path):
            return EXCLUDE
        return GITIGNORE if is_ignored(path, layers) else ""

    def _python_files_below(self, start: str) -> int:
        """Count the Python files in a folder that is left out, as far as that is fast."""
        files, waiting = 0, [start]
        while waiting:
            entries = self._entries_below(waiting.pop())
            if not is_environment({entry.name for entry in entries}):
                folders = (one for one in entries if one.is_dir(follow_symlinks=False))
                waiting += [one.path for one in folders if one.name not in self.usual]
                files += sum(one.name.endswith(self.suffixes) and is_file(one.path) for one in entries)
        return files

    def _entries_below(self, folder: str) -> list[os.DirEntry[str]]:
        """Return the entries of a folder that is left out, none if it is too large or cannot be read."""
        try:
            with os.scandir(folder) as entries:
                found = [*islice(entries, _MOST_LOOKS - self._looks + 1)]
        except OSError:
            return []
        self._looks += len(found)
        if self._looks <= _MOST_LOOKS:
            return found
        self.left_out.is_cut = True
        self.left_out.pass_over(folder, _UNCOUNTED)
        return []

    def _is_python_file(self, entry: os.DirEntry[str]) -> bool:
        # A link may be dangling, as an editor's lock of a file is, or part of a cycle.
        return entry.name.endswith(self.suffixes) and (entry.is_file(follow_symlinks=False) or is_file(entry.path))

    def _above(self, start: Path) -> Iterator[Ignored]:
        """Yield the ignore rules from above a folder, outermost first: from the top of its repository, if any."""
        lineage = (start, *start.parents)
        top = next((index for index, folder in enumerate(lineage) if is_present(folder / _REPOSITORY)), 0)
        for folder in reversed(lineage[1 : top + 1]):
            yield from self._read(folder)

    def _layers(self, folder: str, names: Collection[str], layers: _Layers) -> _Layers:
        """Return the ignore rules inside a folder: a nested repository has none of the outer one's."""
        return (*(() if _REPOSITORY in names else layers), *(self._read(Path(folder)) if NAME in names else ()))

    def _read(self, folder: Path) -> Iterator[Ignored]:
        try:
            if self.respects_git and (ignored := read_patterns(folder)) is not None:
                yield ignored
        except OSError as error:
            self.unreadable(folder / NAME, error)


def _posix(path: str) -> str:
    return path.replace(os.sep, "/")
