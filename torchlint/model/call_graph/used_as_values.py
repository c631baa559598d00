"""Functions of other packages that a program only ever calls by the names it imports.

`x.gather(…)` may be `torch.distributed.gather` if `x` may be that package, or if the function is stored in an object
under that name. In a program that never uses either as a value, as in `clock = time.time` or `start(dist)`, no place
calls such a function but by an import.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from torchlint.syntax.last_names import root_of
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Import


class _Sign(Enum):
    TAKEN = auto()
    """A package or function is used as a value."""
    ASKED = auto()
    """An attribute with a computed name is read from what has a package."""
    SAID = auto()
    """The name of a package is a string."""


@dataclass(frozen=True, slots=True)
class _Names:
    words: frozenset[str]
    """The last names of the functions."""
    packages: frozenset[str]
    """The last names of the packages that have them."""
    holders: frozenset[str]
    """The packages that contain these: `torch` of `torch.distributed`."""
    imported: frozenset[str]
    """The names by which any of these is imported."""


def comes_by_import(place: Place) -> bool:
    """Tell whether the root of an expression may be imported: its name is, in an enclosing scope, or is unknown."""
    node = root_of(place.expression)
    if not isinstance(node, ast.Name):
        return False
    bindings = place.scope.seen(node.id)
    return bindings is None or any(binding.imported is not None for binding in bindings)


def is_used_as_value(ev: Evaluator, *names: str) -> bool:
    """Tell whether a program uses one of these functions, or a package that has one, as a value."""
    packages = {name.rpartition(".")[0] for name in names}
    words = frozenset(name.rpartition(".")[2] for name in names)
    said = frozenset(package.rpartition(".")[2] for package in packages)
    holders = frozenset(package.partition(".")[0] for package in packages) - packages
    files = list(_files(ev, said))
    imported = frozenset(name for file in files for name in _imported_in(file, packages, words))
    # What one file imports, another may import from there.
    files += _files(ev, imported - holders)
    sought = _Names(words, said, holders, imported)
    signs = frozenset(sign for file in dict.fromkeys(files) for sign in _signs_in(file, sought))
    # A computed attribute is one of these only if its name is a string somewhere.
    return _Sign.TAKEN in signs or {_Sign.ASKED, _Sign.SAID} <= signs


def _files(ev: Evaluator, words: Iterable[str]) -> Iterator[ParsedFile]:
    library = ev.project.library
    texts = (text for word in sorted(words) for text in (f".{word}", f"import {word}", f'"{word}"', f"'{word}'"))
    # Prose is full of these words, and so is the licence at the top of many files.
    paths = {
        *(path for word in words for path in library.using(word)),
        *(p for text in texts for p in library.holding(text)),
    }
    for path in sorted(paths):
        if (file := ev.project.parsed(path)) is not None:
            yield file


def _imported_in(file: ParsedFile, packages: set[str], words: frozenset[str]) -> Iterator[str]:
    """Yield the names by which a file imports, in any scope, a package, what contains it, or a function of it."""
    for scope in file.index.scopes:
        for name, bindings in scope.bindings.items():
            if any(_leads_to(one.imported, packages, words) for one in bindings if one.imported is not None):
                yield name


def _leads_to(what: Import, packages: set[str], words: frozenset[str]) -> bool:
    dotted = f"{what.module}.{what.name}" if what.name is not None else what.module
    is_package = any(f"{package}.".startswith(f"{dotted}.") for package in packages)
    return is_package or (what.module in packages and what.name in {*words, "*"})


def _signs_in(file: ParsedFile, names: _Names) -> Iterator[_Sign]:
    """Yield the signs in a file, of mentions that are neither called nor have an attribute read."""
    scopes = file.index.scopes
    own = {name for scope in scopes for name, bound in scope.bindings.items() if any(one.imported for one in bound)}
    own &= names.imported
    used: set[ast.AST] = set()
    for node in walk(file.tree):
        match node:
            case ast.Call(func=ast.Name(id="hasattr" | "getattr" as asking), args=[ast.Name() as owner, asked, *_]):
                is_computed = not isinstance(asked, ast.Constant)
                if is_computed and owner.id in own & names.holders:
                    yield _Sign.ASKED
                if asking == "hasattr" or (owner.id in names.holders if is_computed else _is_other(asked, names)):
                    used.add(owner)
            case ast.Call(func=function):
                used.add(function)
            case ast.Constant(value=str(text)) if text in names.packages:
                yield _Sign.SAID
            case ast.Attribute(value=owner, attr=name):
                used.add(owner)
                if name in names.words | names.packages and node not in used and _starts_with(owner, own):
                    yield _Sign.TAKEN
            case ast.Name(id=name, ctx=ast.Load()) if name in own and node not in used:
                yield _Sign.TAKEN


def _is_other(asked: ast.expr, names: _Names) -> bool:
    """Tell whether a constant names something else than one of the packages or functions."""
    return isinstance(asked, ast.Constant) and asked.value not in names.words | names.packages


def _starts_with(node: ast.expr, names: set[str]) -> bool:
    root = root_of(node)
    return isinstance(root, ast.Name) and root.id in names
