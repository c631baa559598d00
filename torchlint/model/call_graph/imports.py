"""What an import binds: something of a file of the project, or a name of a package outside it."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import is_package, starred_from
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import UNKNOWN, Imported, Literal, PythonFile, Value, ValueSet, known
from torchlint.syntax.arguments import passed
from torchlint.syntax.scope import Import

if TYPE_CHECKING:
    from pathlib import Path

    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

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


def imported_by_star(ev: Evaluator, file: ParsedFile, star: Import, name: str) -> ValueSet:
    """Return what `from … import *` binds a name to, if the module it names has it."""
    location = ev.project.locate(file.location, star.module, star.level)
    if location is None:
        is_torchs = star.module.startswith("torch") and not _is_pythons(star.module, name)
        return known(Imported(f"{star.module}.{name}")) if is_torchs else ()
    if location == file.location or not _may_have(ev, location, name):
        return ()
    source = ev.project.parsed(location)
    return file_attribute(ev, source, name) if source is not None else ()


def _is_pythons(module: str, name: str) -> bool:
    """Tell whether a name is a builtin of Python, which no part of PyTorch rebinds."""
    return hasattr(builtins, name) and not (module == "torch" and name in _LIKE_PYTHONS)


def _may_have(ev: Evaluator, location: Path, name: str) -> bool:
    """Tell whether a file may bind a name: it holds the word, is a package with that file, or stars one that may."""
    saying, locate = ev.project.library.holding(name), ev.project.locate
    files = (location, *starred_from(ev, location))
    return any(path in saying or (is_package(path) and locate(path, name, 1) is not None) for path in files)


def imported_by_call(ev: Evaluator, place: Place) -> ValueSet:
    """Return what `importlib.import_module("losses")` or `__import__("losses")` returns."""
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
