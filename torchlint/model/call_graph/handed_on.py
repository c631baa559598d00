"""Functions of other packages that a program only ever calls by the names it imports.

`x.gather(…)` may be `torch.distributed.gather` where `x` may be that package, or where an object was given the function
under that name. A program that never takes either for a value, as in `clock = time.time` or `start(dist)`, settles
for all of its places that a function comes there by an import or not at all.
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
    """A package or function stands where its value is taken."""
    ASKED = auto()
    """What has a package is asked for something whose name is computed."""
    SAID = auto()
    """The name of a package is a text."""


@dataclass(frozen=True, slots=True)
class _Names:
    words: frozenset[str]
    """The last names of the functions."""
    packages: frozenset[str]
    """Those of the packages that have them."""
    holders: frozenset[str]
    """What these packages are in: `torch` of `torch.distributed`."""
    imported: frozenset[str]
    """The names by which any of these is imported."""


def comes_by_import(place: Place) -> bool:
    """Tell whether what an expression starts with may be imported: the name is, in a scope around it, or unknown."""
    node = root_of(place.expression)
    if not isinstance(node, ast.Name):
        return False
    bindings = place.scope.seen(node.id)
    return bindings is None or any(binding.imported is not None for binding in bindings)


def is_handed_on(ev: Evaluator, *names: str) -> bool:
    """Tell whether a program takes one of these functions, or a package that holds one, for a value."""
    packages = {name.rpartition(".")[0] for name in names}
    words = frozenset(name.rpartition(".")[2] for name in names)
    said = frozenset(package.rpartition(".")[2] for package in packages)
    holders = frozenset(package.partition(".")[0] for package in packages) - packages
    files = list(_files(ev, said))
    imported = frozenset(name for file in files for name in _imported_in(file, packages, words))
    # What one file imports, another may import from that.
    files += _files(ev, imported - holders)
    sought = _Names(words, said, holders, imported)
    signs = frozenset(sign for file in dict.fromkeys(files) for sign in _signs_in(file, sought))
    # Whoever asks a package for some name gets what is handed on only where somebody says that name.
    return _Sign.TAKEN in signs or {_Sign.ASKED, _Sign.SAID} <= signs


def _files(ev: Evaluator, words: Iterable[str]) -> Iterator[ParsedFile]:
    library = ev.project.library
    texts = (text for word in sorted(words) for text in (f".{word}", f"import {word}", f'"{word}"', f"'{word}'"))
    # Prose is full of these words, and so is the licence at the top of many a file.
    paths = {
        *(path for word in words for path in library.using(word)),
        *(p for text in texts for p in library.holding(text)),
    }
    for path in sorted(paths):
        if (file := ev.project.parsed(path)) is not None:
            yield file


def _imported_in(file: ParsedFile, packages: set[str], words: frozenset[str]) -> Iterator[str]:
    """Yield the names by which a file imports, in any scope, a package, what holds it, or a function of it."""
    for scope in file.index.scopes:
        for name, bindings in scope.bindings.items():
            if any(_leads_to(one.imported, packages, words) for one in bindings if one.imported is not None):
                yield name


def _leads_to(what: Import, packages: set[str], words: frozenset[str]) -> bool:
    dotted = f"{what.module}.{what.name}" if what.name is not None else what.module
    is_package = any(f"{package}.".startswith(f"{dotted}.") for package in packages)
    return is_package or (what.module in packages and what.name in {*words, "*"})


def _signs_in(file: ParsedFile, names: _Names) -> Iterator[_Sign]:
    """Yield what the mentions in a file show, of those that are neither called nor asked for an attribute."""
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
    """Tell whether a constant names something else than a package or function that is looked for."""
    return isinstance(asked, ast.Constant) and asked.value not in names.words | names.packages


def _starts_with(node: ast.expr, names: set[str]) -> bool:
    root = root_of(node)
    return isinstance(root, ast.Name) and root.id in names
