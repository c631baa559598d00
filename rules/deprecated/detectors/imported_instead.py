"""Imports that replace those of removed names, so that all their uses stay valid."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from torchlint.finding import Edit, Span

if TYPE_CHECKING:
    from torchlint.model.interface import ParsedFile
    from torchlint.pytorch.kinds import Removal

_MODULES = frozenset({"collections.abc", "queue"})


def imported_instead(
    file: ParsedFile, statement: ast.Import | ast.ImportFrom, gone: Mapping[str, Removal]
) -> tuple[Edit, ...]:
    """Return the edit of an import statement that binds the same names to replacements, none if there is none.

    `gone` has the removals of the names of the statement, by how they are written there.
    """
    if not isinstance(statement, ast.ImportFrom) or any(not one.same for one in gone.values()):
        return ()
    if len(gone) < len(statement.names):
        aliases = [one for one in statement.names if one.name in gone]
        edits = [_of_one(file, statement, alias, gone[alias.name].same) for alias in aliases]
        return tuple(edit for edit in edits if edit is not None) if None not in edits else ()
    lines = [_line(alias, gone[alias.name].same) for alias in statement.names]
    span = file.span_of(statement)
    before = file.line(span.line)[: span.column - 1]
    behind = file.line(span.end_line)[span.end_column - 1 :].strip()
    if len(lines) > 1 and (before.strip() or (behind and not behind.startswith("#"))):
        return ()
    return (Edit(span, f"\n{before}".join(lines)),)


def _line(alias: ast.alias, same: str) -> str:
    """Return the statement that binds a name to its replacement."""
    name = alias.asname or alias.name
    module, dot, last = same.rpartition(".")
    if same in _MODULES:
        return f"import {same}" if name == same else f"import {same} as {name}"
    if not dot:
        return f"{name} = {same}"
    return f"from {module} import {last}" + (f" as {name}" if name != last else "")


def _of_one(file: ParsedFile, statement: ast.ImportFrom, alias: ast.alias, same: str) -> Edit | None:
    """Return the edit of one name among others, if its replacement is in the same module."""
    module, _, last = same.rpartition(".")
    if module != statement.module:
        return None
    name = alias.asname or alias.name
    start = file.position(alias.lineno, alias.col_offset)
    end = file.position(alias.end_lineno or alias.lineno, alias.end_col_offset or alias.col_offset)
    return Edit(Span(*start, *end), last if name == last else f"{last} as {name}")
