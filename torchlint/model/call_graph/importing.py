"""Which files of the project an import runs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.binding import Importing

_MOST_FILES = 200
# An import by a name that is known at run time alone may import any file.
_AT_RUN_TIME = (
    "import_module",
    "__import__",
    "spec_from_file_location",
    "runpy",
    "instantiate",
    "locate(",
    "exec(",
)


def imported_by(ev: Evaluator, file: ParsedFile, statement: Importing) -> Iterator[ParsedFile]:
    """Yield the files of the project that an import statement names, packages before what is imported from them."""
    found = (ev.project.parsed(path) for path in named_by(ev, file.location, statement))
    yield from (one for one in found if one is not None)


def named_by(ev: Evaluator, importer: Path, statement: Importing) -> Iterator[Path]:
    """Yield the paths of the same files."""
    locate = ev.project.locate
    if isinstance(statement, ast.Import):
        yield from (found for alias in statement.names if (found := locate(importer, alias.name, 0)) is not None)
        return
    module, level = statement.module or "", statement.level
    if (source := locate(importer, module, level)) is not None:
        yield source
        # Only a package contains files; and once it is found, they are searched nowhere else.
        importer, module, level = source, "", 1
    for alias in statement.names if source is None or is_package(source) else ():
        if (inner := locate(importer, f"{module}.{alias.name}" if module else alias.name, level)) is not None:
            yield inner


def imported_files(ev: Evaluator, location: Path) -> frozenset[Path]:
    """Return the files of the project that a file imports, transitively."""
    return ev.project.once(_Imported(location))


def starred_from(ev: Evaluator, location: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the files of the project that a file imports all names from, transitively, and the packages of them."""
    return ev.project.once(_StarredFrom(location))


def stars_in(ev: Evaluator, location: str) -> tuple[str, ...]:
    """Return the files of the project from which the import statements of a file import all names."""
    return ev.project.once(_Starred(location))


def may_be_one_program(ev: Evaluator, script: ParsedFile, other: ParsedFile) -> bool:
    """Tell whether the effects of a file may reach another: those of a script reach only the files that it imports."""
    return script is other or not script.is_script or are_linked(ev, script, other)


def are_linked(ev: Evaluator, one: ParsedFile, other: ParsedFile) -> bool:
    """Tell whether one of two files imports the other, transitively."""
    return may_import(ev, one.location, other) or one.location in imported_files(ev, other.location)


def may_share_program(ev: Evaluator, one: ParsedFile, other: ParsedFile) -> bool:
    """Tell whether some program may run both files: one that imports the other, or a third that imports both."""
    return is_surely_shared(ev, one, other) or any(may_import_any(ev, root) for root in programs_with(ev, one))


def is_surely_shared(ev: Evaluator, one: ParsedFile, other: ParsedFile) -> bool:
    """Tell the same, without imports by names that are known at run time alone."""
    if one is other or _is_run_before(one.location, other.location):
        return True
    return any(may_import(ev, root, other) for root in programs_with(ev, one))


def programs_with(ev: Evaluator, file: ParsedFile) -> tuple[Path, ...]:
    """Return the files that run a file when they are started: itself, and what imports it, transitively."""
    return (file.location, *ev.project.once(_Importers(file.location)))


def program_files(ev: Evaluator, file: ParsedFile) -> frozenset[Path]:
    """Return the files that the programs with a file run."""
    return ev.project.once(_ProgramFiles(file.location))


def may_import_any(ev: Evaluator, importer: Path) -> bool:
    """Tell whether a file, or one that it imports, imports something by a name that is known at run time alone."""
    files = {importer, *imported_files(ev, importer)}
    return any(not files.isdisjoint(ev.project.library.holding(word)) for word in _AT_RUN_TIME)


def run_by(ev: Evaluator, script: Path) -> frozenset[Path] | None:
    """Return the files of the project that a script runs, or None if these may be any."""
    files = imported_files(ev, script)
    return None if len(files) >= _MOST_FILES or may_import_any(ev, script) else files | {script}


def imports(ev: Evaluator, importer: Path, other: ParsedFile) -> bool:
    """Tell whether a file is another one, or imports it, transitively."""
    return importer == other.location or other.location in imported_files(ev, importer)


def may_import(ev: Evaluator, importer: Path, other: ParsedFile) -> bool:
    """Tell the same; a file that imports very many may import any."""
    return imports(ev, importer, other) or len(imported_files(ev, importer)) >= _MOST_FILES


def _led_to(location: str, leading: Callable[[str], Iterable[str]], most: int) -> dict[str, None]:
    """Return what a file leads to, transitively and depth first; not many more than `most`.

    Files are compared by their texts: to hash and compare paths takes far longer.
    """
    found: dict[str, None] = {}
    pending = [location]
    while pending and len(found) < most:
        new = [path for path in leading(pending.pop()) if path not in found]
        found.update(dict.fromkeys(new))
        pending += new
    return found


@dataclass(frozen=True, slots=True)
class _Imported:
    """The question which files of the project a file imports, transitively."""

    location: Path

    def __call__(self, ev: Evaluator) -> frozenset[Path]:
        found = _led_to(str(self.location), lambda path: ev.project.once(ImportedFirst(path)), _MOST_FILES)
        return frozenset(map(ev.project.library.path, found))


@dataclass(frozen=True, slots=True)
class ImportedFirst:
    """The question which files of the project the import statements of a file name, and their enclosing packages.

    It is asked once for a file, and not again for each file that imports it.
    """

    location: str

    def __call__(self, ev: Evaluator) -> tuple[str, ...]:
        """Return the paths, as texts."""
        location = ev.project.library.path(self.location)
        statements = ev.project.library.imports_in(location)
        named = dict.fromkeys(str(one) for statement in statements for one in named_by(ev, location, statement))
        # Python runs the packages that a file is in before it runs the file.
        around = (package for one in named for package in ev.project.library.packages_around(one))
        return tuple(dict.fromkeys((*named, *around)))


@dataclass(frozen=True, slots=True)
class _StarredFrom:
    """The question from which files of the project a file imports all names, transitively."""

    location: str

    def __call__(self, ev: Evaluator) -> tuple[frozenset[str], tuple[str, ...]]:
        library = ev.project.library
        found = _led_to(self.location, lambda path: ev.project.once(_Starred(path)), library.size)
        return frozenset(found), tuple(path for path in found if path.endswith("__init__.py"))


@dataclass(frozen=True, slots=True)
class _Starred:
    """The question from which files of the project the import statements of a file import all names."""

    location: str

    def __call__(self, ev: Evaluator) -> tuple[str, ...]:
        library = ev.project.library
        location = library.path(self.location)
        statements = library.imports_in(location) if location in library.holding("import *") else ()
        starred = (one for one in statements if isinstance(one, ast.ImportFrom) and one.names[0].name == "*")
        found = (ev.project.locate(location, one.module or "", one.level) for one in starred)
        return tuple(dict.fromkeys(str(path) for path in found if path is not None))


@dataclass(frozen=True, slots=True)
class _Importers:
    """The question which files of the project import a file, transitively."""

    location: Path

    def __call__(self, ev: Evaluator) -> tuple[Path, ...]:
        found = _led_to(str(self.location), lambda path: ev.project.once(ImportingFirst(path)), _MOST_FILES)
        return tuple(map(ev.project.library.path, found))


@dataclass(frozen=True, slots=True)
class ImportingFirst:
    """The question which files' import statements name a file, or one in the package that it is."""

    location: str

    def __call__(self, ev: Evaluator) -> tuple[str, ...]:
        """Return the paths, as texts."""
        location = ev.project.library.path(self.location)
        name = location.parent.name if is_package(location) else location.stem
        paths = map(str, ev.project.library.holding(name))
        return tuple(path for path in paths if self.location in ev.project.once(ImportedFirst(path)))


@dataclass(frozen=True, slots=True)
class _ProgramFiles:
    """The question which files the programs with a file run."""

    location: Path

    def __call__(self, ev: Evaluator) -> frozenset[Path]:
        roots = (self.location, *ev.project.once(_Importers(self.location)))
        return frozenset(roots).union(*(imported_files(ev, root) for root in roots))


def imports_itself(ev: Evaluator, importer: Path, location: Path) -> bool:
    """Tell whether an import statement of one file names another one, or what is in the package that it is."""
    return str(location) in ev.project.once(ImportedFirst(str(importer)))


def _is_run_before(package: Path, location: Path) -> bool:
    """Tell whether a file is the `__init__.py` of a package that another file is in."""
    return is_package(package) and package.parent in location.parents


def is_package(location: Path) -> bool:
    """Tell whether a file is the `__init__.py` of a package."""
    return location.name == "__init__.py"
