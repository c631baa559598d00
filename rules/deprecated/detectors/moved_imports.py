"""Imports of the same names from another module."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.finding import Edit, Span

if TYPE_CHECKING:
    from collections.abc import Collection

    from torchlint.model.interface import ParsedFile
    from torchlint.syntax.binding import Importing


def moved_import(file: ParsedFile, statement: Importing, old: str, new: str, names: Collection[str]) -> Edit | None:
    """Return the edit of an import that changes its module: `torch.amp` for `torch.cuda.amp`.

    None if the statement imports more than these names of the module, and the module itself.
    """
    match statement:
        case ast.ImportFrom(module=module, level=0, names=aliases) if module == old:
            is_whole = all(alias.name in names for alias in aliases)
            return _replaced(file, statement, old, new) if is_whole else None
        case ast.ImportFrom(module=str(module), level=0, names=[ast.alias(name=name)]) if f"{module}.{name}" == old:
            outer, _, last = new.rpartition(".")
            return _replaced(file, statement, module, outer) if last == name else None
        case ast.Import(names=[ast.alias(name=name, asname=str())]) if name == old:
            return _replaced(file, statement, old, new)
        case _:
            return None


def _replaced(file: ParsedFile, statement: Importing, old: str, new: str) -> Edit | None:
    """Return the edit of the name of a module right after `from` or `import`."""
    head = file.text_of(statement).partition(old)[0]
    if head.split() not in (["from"], ["import"]) or "\n" in head:
        return None
    span = file.span_of(statement)
    start = span.column + len(head)
    return Edit(Span(span.line, start, span.line, start + len(old)), new)
