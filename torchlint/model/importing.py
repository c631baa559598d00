"""Which files of the project an import runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torchlint.model.scope import Import

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.sourcefile import SourceFile

_MOST_FILES = 200


def imported_by(ev: Evaluator, file: SourceFile, statement: ast.Import | ast.ImportFrom) -> Iterator[SourceFile]:
    """Yield the files of the project that an import statement names, packages before what is taken from them."""
    if isinstance(statement, ast.Import):
        wanted = [Import(alias.name, 0, None) for alias in statement.names]
    else:
        module = statement.module or ""
        inner = f"{module}." if module else ""
        wanted = [Import(module, statement.level, None)]
        wanted += [Import(f"{inner}{alias.name}", statement.level, None) for alias in statement.names]
    for one in wanted:
        if (found := ev.project.resolve(file, one.module, one.level)) is not None:
            yield found


def imported_files(ev: Evaluator, file: SourceFile) -> frozenset[SourceFile]:
    """Return the files of the project that a file imports, and those that they import."""
    found: dict[SourceFile, None] = {}
    pending = [file]
    while pending and len(found) < _MOST_FILES:
        new = [one for one in _imported_first(ev, pending.pop()) if one not in found]
        found.update(dict.fromkeys(new))
        pending += new
    return frozenset(found)


def _imported_first(ev: Evaluator, file: SourceFile) -> Iterator[SourceFile]:
    """Yield the files of the project that the import statements of a file name."""
    statements: list[ast.Import | ast.ImportFrom] = [*file.index.statements(ast.Import)]
    statements += file.index.statements(ast.ImportFrom)
    for statement in statements:
        yield from imported_by(ev, file, statement)


def may_be_one_program(ev: Evaluator, script: SourceFile, other: SourceFile) -> bool:
    """Tell whether what a file does may reach another one: a script is at work in the files that it imports alone."""
    return script is other or not script.is_script or are_linked(ev, script, other)


def are_linked(ev: Evaluator, one: SourceFile, other: SourceFile) -> bool:
    """Tell whether one of two files imports the other, be it by others."""
    return may_import(ev, one.location, other) or one.location in ev.project.once(_Imported(other.location))


def may_import(ev: Evaluator, importer: Path, other: SourceFile) -> bool:
    """Tell whether a file imports another one, be it by others; where it imports very many, it may import any."""
    imported = ev.project.once(_Imported(importer))
    return importer == other.location or other.location in imported or len(imported) >= _MOST_FILES


@dataclass(frozen=True, slots=True)
class _Imported:
    """The question which files of the project a file imports, be it by others."""

    location: Path

    def __call__(self, ev: Evaluator) -> frozenset[Path]:
        file = ev.project.parsed(self.location)
        return frozenset(one.location for one in imported_files(ev, file)) if file is not None else frozenset()
