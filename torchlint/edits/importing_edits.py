"""The name of something for a fix, and the import that is needed if it is not there yet."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from torchlint.finding import Edit, Span

if TYPE_CHECKING:
    from torchlint.syntax.guardedfile import GuardedFile
    from torchlint.syntax.scope import Binding
    from torchlint.syntax.site import Site

Named: TypeAlias = "tuple[str, tuple[Edit, ...]]"
"""An expression, and the edits that it needs."""


def named(place: Site, full: str) -> Named | None:
    """Return how something is called at a place: `copy.deepcopy`, with the import that this takes.

    None if the name means something else there.
    """
    found = [wanted for name, wanted in _imports_of(place.file, full) if _is_seen(place, name)]
    if found:
        return min(found, key=len), ()
    module = full.rpartition(".")[0] or full
    if "." in module or module in place.file.index.scope.bindings or _is_hidden(place, module):
        return None
    return full, (import_edit(place.file, module),)


def _imports_of(file: GuardedFile, full: str) -> Iterator[tuple[str, str]]:
    """Yield the names by which a file imports something or a package of it, and the expression for it by each."""
    for name, bindings in file.index.scope.bindings.items():
        for binding in bindings:
            found = binding.imported
            if found is None or found.level or binding.statement not in file.tree.body:
                continue
            known = f"{found.module}.{found.name}" if found.name is not None else found.module
            if full == known:
                yield name, name
            elif full.startswith(f"{known}."):
                yield name, f"{name}{full.removeprefix(known)}"


def _is_seen(place: Site, name: str) -> bool:
    """Tell whether a name of the file has its imported value when a place is reached."""
    bindings = place.file.index.scope.bindings[name]
    if any(binding.imported is None for binding in bindings) or _is_hidden(place, name):
        return False
    return place.scope.kind == "function" or min(_lines(bindings)) < place.line


def _lines(bindings: list[Binding]) -> Iterator[int]:
    return (binding.statement.lineno for binding in bindings)


def _is_hidden(place: Site, name: str) -> bool:
    """Tell whether a function or class around a place shadows a name of the file."""
    scope, own = place.scope, True
    while scope.outer is not None:
        if name in scope.bindings and (own or scope.kind != "class"):
            return True
        scope, own = scope.outer, False
    return False


def import_edit(file: GuardedFile, module: str) -> Edit:
    """Return the edit that imports a module next to the file's other imports of its kind."""
    line = f"import {module}\n"
    imports = [one for one in leading(file) if isinstance(one, (ast.Import, ast.ImportFrom)) and not _is_future(one)]
    alike = [one for one in imports if _is_standard(_module(one)) == _is_standard(module)]
    before = [one for one in alike if isinstance(one, ast.Import) and _module(one) < module]
    if before:
        return after_line(file, before[-1], f"\n{line[:-1]}")
    if alike:
        return _before_line(alike[0], line)
    if imports and _is_standard(module):
        return _before_line(imports[0], f"{line}\n")
    head = [one for one in leading(file) if one in imports or _is_future(one) or _is_docstring(file, one)]
    if head:
        return after_line(file, head[-1], f"\n\n{line[:-1]}")
    return _before_line(file.tree.body[0], f"{line}\n")


def leading(file: GuardedFile) -> Iterator[ast.stmt]:
    """Yield the statements of a file before its first function or class."""
    for statement in file.tree.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        yield statement


def torches(file: GuardedFile) -> Iterator[tuple[str, ast.stmt]]:
    """Yield the names of `torch` in a file, and the statements that import it."""
    for name, bindings in file.index.scope.bindings.items():
        for binding in bindings:
            imported = binding.imported
            is_torch = imported is not None and (imported.module, imported.name, imported.level) == ("torch", None, 0)
            if is_torch and binding.statement in file.tree.body:
                yield name, binding.statement


def after_line(file: GuardedFile, statement: ast.stmt, text: str) -> Edit:
    """Put a text after the line on which a statement ends, other statements on it included."""
    last = statement.end_lineno or statement.lineno
    for other in file.tree.body:
        if other.lineno <= last < (other.end_lineno or last):
            last = other.end_lineno or last
    column = len(file.line(last)) + 1
    return Edit(Span(last, column, last, column), text)


def _before_line(statement: ast.stmt, text: str) -> Edit:
    line = statement.lineno
    return Edit(Span(line, 1, line, 1), text)


def _module(statement: ast.Import | ast.ImportFrom) -> str:
    if isinstance(statement, ast.ImportFrom):
        return statement.module or ""
    return statement.names[0].name


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _is_docstring(file: GuardedFile, statement: ast.stmt) -> bool:
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text and statement is file.tree.body[0]
