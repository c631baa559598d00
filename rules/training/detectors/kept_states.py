"""Attributes that a method computes from their own value: `out, self.hidden = self.rnn(x, self.hidden)`.

The value that one call of the method stores is read by the next one, unless it is reset or detached in between.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.syntax.scope import Scope, Store

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_DETACHING = re.compile(r"\bdetach_\b|\brepackage")


def keeping_store(ev: Evaluator, read: Place) -> Store | None:
    """Return where a method stores in an attribute what its next call reads there, if nothing else does."""
    assert isinstance(read.expression, ast.Attribute)
    name, scope, found = read.expression.attr, read.scope, None
    if not scope.is_method or _is_detached(ev, name, scope):
        return None
    for path in ev.project.library.holding(f".{name}"):
        file = ev.project.parsed(path)
        for store in file.index.attribute_stores(name) if file is not None else ():
            assert file is not None
            if file.index.home[store.statement][0].scope is scope and store.statement.lineno >= read.line:
                if found is not None or not _is_always_run(file, store, scope):
                    return None
                found = store
            elif not _starts(file, store, name, scope) and not _is_never_run(ev, file, store):
                return None
    return found


def _is_never_run(ev: Evaluator, file: ParsedFile, store: Store) -> bool:
    """Tell whether a store is in a method that nothing in the project mentions: a `reset` that was forgotten."""
    method = file.index.home[store.statement][0].scope
    mentioned = (f".{method.name}", f'"{method.name}"', f"'{method.name}'")
    return method.is_method and not any(ev.project.library.holding(one) for one in mentioned)


@dataclass(frozen=True, slots=True)
class ConstructingStore:
    """Where a constructor stores an attribute, and nothing else does."""

    file: ParsedFile
    value: ast.expr | None
    statement: ast.stmt


def constructing_store(ev: Evaluator, read: Place) -> ConstructingStore | None:
    """Return the only store of an attribute that a method reads, if the constructor of its class always runs it."""
    assert isinstance(read.expression, ast.Attribute)
    name, scope, found = read.expression.attr, read.scope, None
    if not scope.is_method or scope.name == "__init__" or _is_detached(ev, name, scope):
        return None
    for path in ev.project.library.holding(f".{name}"):
        file = ev.project.parsed(path)
        for store in file.index.attribute_stores(name) if file is not None else ():
            assert file is not None
            own = file.index.home[store.statement][0].scope
            is_own = own.outer is scope.outer and own.name == "__init__" and not store.selector
            if found is not None or not is_own or not _is_always_run(file, store, own):
                return None
            found = ConstructingStore(file, store.value, store.statement)
    return found


def stored_above(read: Place) -> Store | None:
    """Return where the method itself has stored in an attribute what it reads there, on every path."""
    assert isinstance(read.expression, ast.Attribute)
    index, scope = read.file.index, read.scope
    above = [
        store
        for store in index.attribute_stores(read.expression.attr)
        if index.home[store.statement][0].scope is scope and store.statement.lineno < read.line
    ]
    last = max(above, key=lambda store: store.statement.lineno, default=None)
    return last if last is not None and _is_always_run(read.file, last, scope) else None


def _is_detached(ev: Evaluator, name: str, scope: Scope) -> bool:
    """Tell whether a file with an attribute detaches anything in place, or the attribute after its first value."""
    own = re.compile(rf"\.{re.escape(name)}\b[^\n]*\b(detach|data)\b")
    files = (ev.project.parsed(path) for path in ev.project.library.holding(f".{name}"))
    return any(
        file is not None
        and (
            _DETACHING.search(file.code)
            or any(not _is_first(file, found, name, scope) for found in own.finditer(file.code))
        )
        for file in files
    )


def _is_first(file: ParsedFile, found: re.Match[str], name: str, scope: Scope) -> bool:
    """Tell whether a line assigns an attribute its first value, which may well be detached."""
    line = file.code.count("\n", 0, found.start()) + 1
    stores = [store for store in file.index.attribute_stores(name) if store.statement.lineno == line]
    return any(_starts(file, store, name, scope) for store in stores)


def _is_always_run(file: ParsedFile, store: Store, scope: Scope) -> bool:
    block = file.index.home[store.statement][0]
    return store.kind == "assign" and store.value is not None and block.owner is scope.node


def _starts(file: ParsedFile, store: Store, name: str, scope: Scope) -> bool:
    """Tell whether an attribute gets its first value: by the constructor of the class, or if it has none yet."""
    block = file.index.home[store.statement][0]
    if block.scope.outer is scope.outer and block.scope.name == "__init__":
        return True
    is_first = isinstance(block.owner, ast.If) and f"self.{name} is None" in file.code_of(block.owner.test)
    return is_first and block.scope is scope
