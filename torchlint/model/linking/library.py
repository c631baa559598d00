"""Where a project's files are, and which of them an import names.

Every import asks for several files that are not there, so that paths are texts here: pathlib takes six times as long.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.asked import OUTSIDE, Kept, bit_of_name
from torchlint.model.linking.search import Search
from torchlint.present import is_file

if TYPE_CHECKING:
    from torchlint.model.linking.searchpath import AddedFolders

# Never looked up in the project, even where a folder has the name: the model knows what these mean.
_OUTSIDE = frozenset({"torch", "numpy", "os", "sys", "argparse", "paddle"})


class Library(Search):
    """The files below one root; whatever it is asked for, `asked` notes it."""

    @cached_property
    def _found(self) -> dict[tuple[Path, str], Kept[Path | None]]:
        return {}

    @cached_property
    def _above(self) -> dict[Path, list[Path]]:
        return {}

    @cached_property
    def _foreign(self) -> dict[str, bool]:
        return {}

    @cached_property
    def _as_texts(self) -> frozenset[str]:
        return frozenset(map(str, self._places))

    def find(self, importer: Path, module: str, level: int, added: AddedFolders) -> Path | None:
        """Return the file that an import names, as Python would find it in a checkout, or None for what is outside.

        A script finds its neighbours and what it adds to `sys.path`, code in a package first what lies beside its
        package, and all find what lies at the root or in `src`.
        """
        if level:
            folder = importer.parent
            for _ in range(level - 1):
                folder = folder.parent
            return self._below(folder, module)
        if module.partition(".")[0] in _OUTSIDE:
            return None
        found = self._candidates(importer, module, added)
        if (nearest := next(found, None)) is None:
            return None
        if nearest[0] == importer.parent and (above := next(found, None)) is not None:
            return (nearest if self._is_script(importer) else above)[1]
        return nearest[1]

    def _candidates(self, importer: Path, module: str, added: AddedFolders) -> Iterator[tuple[Path, Path]]:
        """Yield each folder that has what an absolute import may name, and the file; never the importing one."""
        folders = self._search_path(importer.parent, added)
        if module.partition(".")[0] == self.root.name and self.is_package(self.root):
            folders.append(self.root.parent)  # a package that is linted by itself still says its own name
        for folder in folders:
            path = self._below(folder, module)
            if path is not None and path != importer and not self._is_of_python(importer, module, folder):
                yield folder, path

    def _is_of_python(self, importer: Path, module: str, folder: Path) -> bool:
        """Tell whether a name means Python's own module: for `pkg/random.py` is `pkg.random`.

        A script of the package, where it is run, finds its neighbour.
        """
        if module.partition(".")[0] not in sys.stdlib_module_names or not self.is_package(folder):
            return False
        return folder != importer.parent or not self._is_script(importer)

    def _is_script(self, path: Path) -> bool:
        """Tell whether Python searches the folder of a file: it does where the file is run, not where it is imported.

        A part of a package is run only where it says so, and one that is imported from above counts as that alone.
        """
        dotted = f"{path.parent.name}.{path.stem}"
        if self.holding(f"from {dotted}") or self.holding(f"import {dotted}"):
            return False
        return not self.is_package(path.parent) or path in self.holding("__main__")

    def _search_path(self, folder: Path, added: AddedFolders) -> list[Path]:
        if folder not in self._above:
            self._above[folder] = [*_up_to(self.root, folder), self.root / "src"]
        return [*added.before, folder, *added.behind, *self._above[folder]]

    def _below(self, folder: Path, module: str) -> Path | None:
        key = (folder, module)
        if key not in self._found:
            parts = [str(folder), *filter(None, module.split("."))]
            self._found[key] = self._looked_up(f"{os.sep}".join(parts), is_module=bool(module))
        return self.asked.recalled(self._found[key])

    def _looked_up(self, stem: str, *, is_module: bool) -> Kept[Path | None]:
        """Return the file of a package or module: Python takes the first before a plain file of the same name."""
        is_foreign = self._is_foreign(stem)
        candidates = [f"{stem}{os.sep}__init__.py", *([f"{stem}.py"] if is_module else [])]
        found = (path for path in candidates if path in self._as_texts or (is_foreign and is_file(path)))
        bits = bit_of_name(stem.rpartition(os.sep)[2]) | (OUTSIDE if is_foreign else 0)
        return Kept(next(map(Path, found), None), bits << len(self._places))

    def is_package(self, folder: Path) -> bool:
        """Tell whether a folder of the project has an `__init__.py`."""
        return (folder == self.root or self.root in folder.parents) and self._below(folder, "") is not None

    def is_folder(self, path: Path) -> bool:
        """Tell whether there may be something to import in a folder.

        No note is taken of it: whoever looks for something there also looks for it elsewhere, by the same name.
        """
        return str(path) in self._checkout.folders or self._is_foreign(str(path))

    def _is_foreign(self, path: str) -> bool:
        """Tell whether a path leads where nobody has looked for files of the project."""
        if (known := self._foreign.get(path)) is None:
            is_below = path == str(self.root) or (path != "" and not self._is_foreign(path.rpartition(os.sep)[0]))
            known = self._foreign[path] = path in self._checkout.passed_over or not is_below
        return known


def _up_to(root: Path, folder: Path) -> list[Path]:
    """Return the folders around one, the nearest first, up to a root that it lies below; else none."""
    above = list(folder.parents)
    return above[: above.index(root) + 1] if root in above else []
