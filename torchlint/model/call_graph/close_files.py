"""Which files of the project are so close by their imports that one may pass values to the other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import ImportedFirst, ImportingFirst, is_package

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# A value is made in one file, passed on by a second, and used in a third.
_CLOSE = 2


def are_close(ev: Evaluator, one: ParsedFile, other: ParsedFile) -> bool:
    """Tell whether code of one file may pass values to code of another, through no more than `_CLOSE` imports.

    In a large package nearly all files share a program, and hardly any pass each other a value.
    """
    return one is other or str(other.location) in ev.project.once(_Close(str(one.location)))


@dataclass(frozen=True, slots=True)
class _Through:
    """The question which files a file imports, or is imported by, itself or through a package that offers its names."""

    location: str
    first: type[ImportedFirst | ImportingFirst]

    def __call__(self, ev: Evaluator) -> frozenset[str]:
        found = ev.project.once(self.first(self.location))
        packages = [path for path in found if is_package(Path(path))]
        return frozenset(found).union(*(ev.project.once(self.first(path)) for path in packages))


@dataclass(frozen=True, slots=True)
class _Close:
    """The question which files import a file through few others, and which these, and the file itself, import.

    A package imports what it offers, and passes nothing between its files.
    """

    location: str

    def __call__(self, ev: Evaluator) -> frozenset[str]:
        found = new = frozenset((self.location,))
        for _ in range(_CLOSE):
            new = frozenset[str]().union(*(ev.project.once(_Through(path, ImportingFirst)) for path in new)) - found
            found |= new
        importers = [path for path in found if path == self.location or not is_package(Path(path))]
        return found.union(*(ev.project.once(_Through(path, ImportedFirst)) for path in importers))
