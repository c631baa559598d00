"""What an import binds: something of a file of the project, or a name of a package outside it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import starred_from, stars_in
from torchlint.model.values.joins import either
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import UNKNOWN, Imported, Literal, PythonFile, Value, ValueSet, known
from torchlint.syntax.arguments import passed
from torchlint.syntax.closure import closure
from torchlint.syntax.scope import Import

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

_NOTHING: ValueSet = ()
# What `from torch import *` binds in place of Python's builtins, in 2.13.
_LIKE_PYTHONS = frozenset("abs all any bool compile complex float int max min pow range round sum".split())


def imported(ev: Evaluator, file: ParsedFile, what: Import) -> ValueSet:
    """Return what an import statement in a file binds."""
    if what.name is None:
        if (source := ev.project.resolve(file, what.module, 0)) is not None:
            return known(PythonFile(source))
        return known(Imported(what.module))
    if (source := ev.project.resolve(file, what.module, what.level)) is not None:
        return file_attribute(ev, source, what.name)
    if found := _submodule(ev, file, what):
        return found
    return known(Imported(f"{what.module}.{what.name}" if what.module else what.name))


def imported_by_stars(ev: Evaluator, file: ParsedFile, name: str) -> ValueSet:
    """Return what `from … import *` binds a name to, in a file or in one that it imports all names from."""
    if "*" not in file.index.scope.bindings or name.startswith("_"):
        return ()
    return _found_by_stars(ev, file, name)


@tabled(_NOTHING)
def _found_by_stars(ev: Evaluator, file: ParsedFile, name: str) -> ValueSet:
    """Return the same.

    Files may import all names of one another: each is reached once, and what is beyond one that binds the name is not.
    """
    location = str(file.location)
    starred, packages = starred_from(ev, location)
    saying = ev.project.library.holding(name)
    paths = [one for path in saying if (one := str(path)) in starred and one != location]
    sources = {path: source for path in paths if (source := ev.project.parsed(ev.project.library.path(path)))}
    if len(sources) > 1:
        further, reached = partial(_stars_beyond, ev, name, sources), {location}
        reaching = {one for star in stars_in(ev, location) for one in closure(star, further, reached)}
        sources = {path: source for path, source in sources.items() if path in reaching}
    found = either(_outside(ev, file, name), *(_bound_in(ev, name, source) for source in sources.values()))
    return found or either(*(_beside(ev, name, path) for path in packages if path != location))


def _stars_beyond(ev: Evaluator, name: str, sources: Mapping[str, ParsedFile], path: str) -> Iterable[str]:
    """Return the files that a file imports all names from, if it does not bind a name itself."""
    is_bound = path in sources and name in sources[path].index.scope.bindings
    return () if is_bound else stars_in(ev, path)


def _bound_in(ev: Evaluator, name: str, source: ParsedFile) -> ValueSet:
    """Return what a file itself binds a name to, or imports from outside the project with all names."""
    return ev.global_of(source, name) if name in source.index.scope.bindings else _outside(ev, source, name)


def _outside(ev: Evaluator, file: ParsedFile, name: str) -> ValueSet:
    """Return what a name is if a file imports all names of PyTorch."""
    found: list[ValueSet] = []
    for star in file.index.scope.bindings.get("*", ()):
        one = star.imported
        # Most that files import all names from is not PyTorch's.
        if one is None or not one.module.startswith("torch") or _is_pythons(one.module, name):
            continue
        if ev.project.locate(file.location, one.module, one.level) is None:
            found.append(known(Imported(f"{one.module}.{name}")))
    return either(*found) if found else ()


def _beside(ev: Evaluator, name: str, path: str) -> ValueSet:
    """Return the file of that name in a package."""
    location = ev.project.locate(ev.project.library.path(path), name, 1)
    source = ev.project.parsed(location) if location is not None else None
    return known(PythonFile(source)) if source is not None else ()


def _is_pythons(module: str, name: str) -> bool:
    """Tell whether a name is a builtin of Python, which no part of PyTorch rebinds."""
    return hasattr(builtins, name) and not (module == "torch" and name in _LIKE_PYTHONS)


def imported_by_call(ev: Evaluator, place: Place) -> ValueSet:
    """Return what `importlib.import_module("losses")` returns, and what imports the same."""
    call = place.expression
    assert isinstance(call, ast.Call)
    name = call.args[0] if call.args else passed(call, "name")
    possible = ev.evaluate(place.at(name)) if name is not None else UNKNOWN
    return either(*(_named(ev, place.file, one.value) for one in possible))


def _named(ev: Evaluator, file: ParsedFile, name: Value) -> ValueSet:
    match name:
        case Literal(value=str(dotted)) if module := dotted.lstrip("."):
            level = len(dotted) - len(module)
            found = ev.project.resolve(file, module, level)
            outside = known(Imported(module)) if not level else UNKNOWN
            return known(PythonFile(found)) if found is not None else outside
        case _:
            return UNKNOWN


def file_attribute(ev: Evaluator, file: ParsedFile, name: str) -> ValueSet:
    """Return what `file.name` is: a global of the file, or a file beside it when it is a package."""
    if found := ev.global_of(file, name):
        return found
    if file.is_package and (inner := ev.project.resolve(file, name, 1)) is not None:
        return known(PythonFile(inner))
    return ()


def _submodule(ev: Evaluator, file: ParsedFile, what: Import) -> ValueSet:
    """Return the file that `from package import name` names, where `name` is a file of the package."""
    dotted = f"{what.module}.{what.name}" if what.module else str(what.name)
    found = ev.project.resolve(file, dotted, what.level)
    return known(PythonFile(found)) if found is not None else ()
