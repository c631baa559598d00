"""The paths of a project's files, and which of them an import names.

Every import probes several files that do not exist, so that paths are strings here: pathlib takes six times as long.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.files.existence import is_file
from torchlint.project.contents import adds_folders
from torchlint.project.dependencies import OUTSIDE, MemoEntry, bit_of_imports, bit_of_name
from torchlint.project.edited_index import EditedIndex

if TYPE_CHECKING:
    from torchlint.syntax.binding import Importing

# Never looked up in the project, even if a folder has the name: the model knows what these mean.
_OUTSIDE = frozenset({"torch", "numpy", "os", "sys", "argparse", "paddle"})


@dataclass(frozen=True, slots=True)
class AddedFolders:
    """Folders that a file puts before what Python searches anyway, and after it."""

    before: tuple[Path, ...] = ()
    behind: tuple[Path, ...] = ()


class Library(EditedIndex):
    """The files below one root; `asked` notes every lookup."""

    @cached_property
    def _found(self) -> dict[str, MemoEntry[str | None]]:
        return {}

    @cached_property
    def _searched(self) -> dict[tuple[Path, AddedFolders], _Searched]:
        return {}

    @cached_property
    def _foreign(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _imports(self) -> dict[Path, tuple[Importing, ...]]:
        return {}

    @cached_property
    def _by_text(self) -> dict[str, Path]:
        return {str(path): path for path in self._places}

    @cached_property
    def _first_names(self) -> frozenset[str]:
        """Return the first names of all possible imports of the project: the names of its files and folders."""
        folders = (*self._checkout.folders, *self._checkout.passed_over)
        return frozenset(_last(path) for path in (*folders, *(path.removesuffix(".py") for path in self._by_text)))

    def edit(self, path: Path, data: bytes) -> int | None:
        """Take other bytes for a file, and return what no answer may depend on any more; None if that is everything.

        Where a file adds to the search path, all that is imported may be another file.
        """
        from torchlint.project.import_statements import imports_said

        before, had_added = imports_said(self._content(path)), self.may_add_folders(path)
        gone = super().edit(path, data)
        self._imports.pop(path, None)
        if gone is None or had_added or self.may_add_folders(path):
            return None
        has_other = imports_said(self._content(path)) != before
        return gone | (bit_of_imports(str(path)) << len(self._places) if has_other else 0)

    def imports_in(self, path: Path) -> tuple[Importing, ...]:
        """Return the import statements of a file, without parsing the rest.

        What they name may change with any other line of a file that adds to the search path.
        """
        self._note(bit_of_imports(str(path)))
        if self.may_add_folders(path) or path not in self._places:
            self.note_read(path)
        if path not in self._imports:
            from torchlint.project.import_statements import import_statements

            self._imports[path] = import_statements(self._content(path))
        return self._imports[path]

    def may_add_folders(self, path: Path) -> bool:
        """Tell whether a file may add to the search path of its imports."""
        return adds_folders(self._content(path))

    def find(self, importer: Path, module: str, level: int, added: AddedFolders) -> Path | None:
        """Return the file that an import names, as Python would find it in a checkout, or None for what is outside.

        A script finds its neighbours and what it adds to `sys.path`, code in a package first what is beside its
        package, and all find what is at the root or in `src`.
        """
        found = self._relative(importer, module, level) if level else self._absolute(importer, module, added)
        # Paths are slow to make, and as slow to compare if they are not the same object.
        return self.path(found) if found is not None else None

    def path(self, text: str) -> Path:
        """Return a path, the same object as before if there is one."""
        return self._by_text.get(text) or Path(text)

    def _relative(self, importer: Path, module: str, level: int) -> str | None:
        folder = str(importer)
        for _ in range(level):
            folder = _above(folder)
        return self._below(folder, module)

    def _absolute(self, importer: Path, module: str, added: AddedFolders) -> str | None:
        first = module.partition(".")[0]
        if first in _OUTSIDE:
            return None
        searched = self._search_path(importer, added)
        if searched.is_known and first not in self._first_names:
            self._unheard(module)
            return None
        found = self._candidates(importer, module, searched.folders)
        if (nearest := next(found, None)) is None:
            return None
        if nearest[0] == searched.own and (above := next(found, None)) is not None:
            return (nearest if self._is_script(importer) else above)[1]
        return nearest[1]

    def _unheard(self, module: str) -> None:
        """Note that the project has no module with this first name: a new file of its last name may change that."""
        if (known := self._found.get(module)) is None:
            bit = bit_of_name(module.rpartition(".")[2]) << len(self._places)
            known = self._found[module] = MemoEntry(None, bit)
        self.dependencies.recalled(known)

    def _candidates(self, importer: Path, module: str, folders: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield each folder that has what an absolute import may name, and the file; never the importing one."""
        root = str(self.root)
        if module.partition(".")[0] == self.root.name and self._is_package(root):
            folders = (*folders, str(self.root.parent))  # a package that is linted by itself still has its own name
        for folder in folders:
            path = self._below(folder, module)
            if path is not None and path != str(importer) and not self._is_of_python(importer, module, folder):
                yield folder, path

    def _is_of_python(self, importer: Path, module: str, folder: str) -> bool:
        """Tell whether a name means Python's own module: for `pkg/random.py` is `pkg.random`.

        A script of the package, when it is run, finds its neighbour.
        """
        if module.partition(".")[0] not in sys.stdlib_module_names or not self._is_package(folder):
            return False
        return folder != str(importer.parent) or not self._is_script(importer)

    def _is_script(self, path: Path) -> bool:
        """Tell whether Python searches the folder of a file: it does if the file is run, not if it is imported.

        A part of a package is run only if its code says so, and one that is imported from above counts as that alone.
        """
        if self.is_package(path.parent) and path not in self.holding("__main__"):
            return False
        dotted = f"{path.parent.name}.{path.stem}"
        return not self.holding(f"from {dotted}") and not self.holding(f"import {dotted}")

    def _search_path(self, importer: Path, added: AddedFolders) -> _Searched:
        if (known := self._searched.get((importer, added))) is None:
            folder = _above(str(importer))
            around = (*self._up_to_root(folder), f"{self.root}{os.sep}src")
            folders = (*map(str, added.before), folder, *map(str, added.behind), *around)
            known = _Searched(folder, folders, not any(map(self._is_foreign, folders)))
            self._searched[importer, added] = known
        return known

    def _up_to_root(self, folder: str) -> Iterator[str]:
        """Yield the folders around one, the nearest first, up to the root that it is below; else none."""
        while self._is_within(folder) and folder != str(self.root):
            folder = _above(folder)
            yield folder

    def _is_within(self, folder: str) -> bool:
        return folder == str(self.root) or folder.startswith(f"{self.root}{os.sep}")

    def _below(self, folder: str, module: str) -> str | None:
        place = f"{folder}{os.sep}{module.replace('.', os.sep)}"
        if (known := self._found.get(place)) is None:
            known = self._found[place] = self._looked_up(place)
        return self.dependencies.recalled(known)

    def _looked_up(self, place: str) -> MemoEntry[str | None]:
        """Return the file of a package or module: Python takes a package before a plain file of the same name.

        A path with a separator at its end can only be a package.
        """
        stem = place.removesuffix(os.sep)
        is_foreign = self._is_foreign(stem)
        candidates = [f"{stem}{os.sep}__init__.py", *([f"{stem}.py"] if stem == place else [])]
        found = (path for path in candidates if path in self._by_text or (is_foreign and is_file(path)))
        bits = bit_of_name(_last(stem)) | (OUTSIDE if is_foreign else 0)
        return MemoEntry(next(found, None), bits << len(self._places))

    def is_package(self, folder: Path) -> bool:
        """Tell whether a folder of the project has an `__init__.py`."""
        return self._is_package(str(folder))

    def _is_package(self, folder: str) -> bool:
        return self._is_within(folder) and self._below(folder, "") is not None

    def packages_around(self, location: str) -> Iterator[str]:
        """Yield the `__init__.py` of each package that a file is in, the innermost first."""
        folder = _above(location)
        while self._is_within(folder) and (found := self._below(folder, "")) is not None:
            yield found
            folder = _above(folder)

    def is_folder(self, path: Path) -> bool:
        """Tell whether there may be something to import in a folder.

        No note is taken of it: what is looked up there is also looked up elsewhere, by the same name.
        """
        return str(path) in self._checkout.folders or self._is_foreign(str(path))

    def _is_foreign(self, path: str) -> bool:
        """Tell whether a path leads to where no files of the project were searched."""
        if (known := self._foreign.get(path)) is None:
            is_below = path == str(self.root) or (path != "" and not self._is_foreign(_above(path)))
            known = self._foreign[path] = path in self._checkout.passed_over or not is_below
        return known


@dataclass(frozen=True, slots=True)
class _Searched:
    """The folder of a file, those that Python searches for it, in order, and whether all that is there is known."""

    own: str
    folders: tuple[str, ...]
    is_known: bool


def _above(path: str) -> str:
    return path.rpartition(os.sep)[0]


def _last(path: str) -> str:
    return path.rpartition(os.sep)[2]
