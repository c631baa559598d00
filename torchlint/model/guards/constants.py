"""Tests that constants decide: literals, and names that are bound once, to one, and that no other file sets.

An attribute of an object is none, and neither is an option: whichever run may set them.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.plain import plain
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import PythonFile
from torchlint.syntax.scope import Binding

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# A file with one of these may bind any name of it: `exec(open("configurator.py").read())`.
_BINDING_ANY = re.compile(r"\b(exec|globals|locals|vars)\s*\(")


def decided_by_constants(ev: Evaluator, test: Place) -> bool | None:
    """Return the outcome of a test in every run, None if more than constants decide."""
    match test.expression:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = decided_by_constants(ev, test.at(operand))
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            return _of_all(ev, [test.at(value) for value in values], isinstance(op, ast.And))
        case ast.Compare(left=left, comparators=others):
            is_constant = all(_is_constant(ev, test.at(one)) for one in (left, *others))
            return ev.truth(test) if is_constant else None
        case _:
            return ev.truth(test) if _is_constant(ev, test) else None


def _of_all(ev: Evaluator, parts: list[Place], conjunction: bool) -> bool | None:
    outcomes = [decided_by_constants(ev, part) for part in parts]
    if (not conjunction) in outcomes:
        return not conjunction
    return None if None in outcomes else conjunction


def _is_constant(ev: Evaluator, place: Place) -> bool:
    match place.expression:
        case ast.Constant():
            return True
        case ast.Name(id=name) if place.statement not in place.file.index.binding:
            scope = place.scope
            while name not in scope.bindings and scope.outer is not None:
                scope = scope.outer
            if scope.kind == "file":
                return _is_constant_of(ev, place.file, name)
            bindings = scope.bindings.get(name, [])
            return scope.kind == "function" and len(bindings) == 1 and _is_of_literal(bindings[0])
        case ast.Attribute(value=owner, attr=name):
            source = next((one.value for one in plain(place.at(owner)) or ()), None)
            return isinstance(source, PythonFile) and _is_constant_of(ev, source.file, name)
        case _:
            return False


def _is_of_literal(binding: Binding) -> bool:
    return binding.kind == "assign" and not binding.selector and isinstance(binding.value, ast.Constant)


@tabled(False)
def _is_constant_of(ev: Evaluator, file: ParsedFile, name: str) -> bool:
    """Tell whether a name of a file is a constant, there or where the file imports it from."""
    bindings = file.index.scope.bindings.get(name, [])
    if len(bindings) != 1 or _BINDING_ANY.search(file.code):
        return False
    what = bindings[0].imported
    if what is not None and what.name is not None:
        source = ev.project.resolve(file, what.module, what.level)
        return source is not None and _is_constant_of(ev, source, what.name)
    return _is_of_literal(bindings[0]) and not _is_set_elsewhere(ev, file, name)


def _is_set_elsewhere(ev: Evaluator, file: ParsedFile, name: str) -> bool:
    """Tell whether a file sets a name of another one: `config.DEBUG = args.debug`."""
    files = (found for path in ev.project.library.holding(name) if (found := ev.project.parsed(path)) is not None)
    stores = ((found, store) for found in files for store in found.index.attribute_stores(name))
    targets = (Place(found, store.target, store.statement) for found, store in stores)
    return any(one.value == PythonFile(file) for target in targets for one in ev.evaluate(target))
