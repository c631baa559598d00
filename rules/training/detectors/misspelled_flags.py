"""Misspelled `requires_grad`: Python makes a new attribute, which nothing reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Instance, Possibility, Tensor
from torchlint.syntax.around import class_around, is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_MEANT = "requires_grad"
# Words about requiring and gradients, and typing errors of the name.
_ALIKE = re.compile(r"_?(is_)?requ?i?e?re?[sd]?_?grad(ient)?s?", re.IGNORECASE)
_METHOD = "requires_grad_"


@dataclass(frozen=True, slots=True)
class MisspelledFlag:
    """A target of an assignment that is meant to be `requires_grad`."""

    place: Place
    is_of_module: bool


def misspelled_flags(ev: Evaluator, file: ParsedFile) -> Iterator[MisspelledFlag]:
    """Yield where a file stores into a misspelled `requires_grad` of a tensor or module, which nothing reads."""
    for store in file.index.stores:
        if not isinstance(store.key, str) or store.kind != "assign" or not is_misspelled(store.key):
            continue
        owner = Place(file, store.target, store.statement)
        possible = () if is_self(store.target) else ev.evaluate(owner)
        if not possible or not all(_has_the_flag(ev, one) for one in possible) or _is_meant(ev, store.key):
            continue
        for target in _targets(store.statement, store.target):
            yield MisspelledFlag(owner.at(target), not isinstance(possible[0].value, Tensor))


def is_misspelled(name: str) -> bool:
    """Tell whether a name is nearly `requires_grad`."""
    return name != _MEANT and (_ALIKE.fullmatch(name) is not None or _is_one_letter_off(name))


def _is_one_letter_off(name: str) -> bool:
    """Tell whether a letter is missing, doubled or replaced, or two are exchanged."""
    if abs(len(name) - len(_MEANT)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(name, _MEANT, strict=False)) if a != b), min(len(name), len(_MEANT)))
    rest, meant = name[start:], _MEANT[start:]
    return rest[1:] in {meant, meant[1:]} or rest == meant[1:] or rest[2:] == meant[2:]


def _has_the_flag(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something is a tensor, or a module whose class stores attributes as any other does."""
    if isinstance(one.value, Instance) and method_of(ev, one.value.kind, "__setattr__") is not None:
        return False
    return isinstance(one.value, Tensor) or is_module(ev, one.value)


def _is_meant(ev: Evaluator, name: str) -> bool:
    """Tell whether a program reads an attribute of a name, declares it or tests for it; the method is only called."""
    if name == _METHOD:
        return False
    files = (file for path in ev.project.library.holding(name) if (file := ev.project.parsed(path)) is not None)
    return any(file.holds_text(name) or _is_read(ev, file, name) or _is_declared(ev, file, name) for file in files)


def _is_read(ev: Evaluator, file: ParsedFile, name: str) -> bool:
    """Tell whether a file reads such an attribute of anything but objects that surely are neither tensor nor module."""
    for node, statement in file.attribute_reads(name):
        possible = ev.evaluate(Place(file, node.value, statement))
        if not possible or any(not _is_other(ev, one) for one in possible):
            return True
    return False


def _is_other(ev: Evaluator, one: Possibility) -> bool:
    return isinstance(one.value, Instance) and not is_module(ev, one.value)


def _is_declared(ev: Evaluator, file: ParsedFile, name: str) -> bool:
    """Tell whether a module of a file has such an attribute of its own."""
    scopes = {scope for scope in file.index.scopes if scope.kind == "class" and name in scope.bindings}
    for store in file.index.attribute_stores(name) if not scopes else ():
        around = class_around(Place(file, store.target, store.statement))
        if around is not None and is_self(store.target):
            scopes.add(around)
    return any(is_module(ev, Instance(Class(file, scope))) for scope in scopes)


def _targets(statement: ast.stmt, owner: ast.expr) -> Iterator[ast.expr]:
    for target in statement.targets if isinstance(statement, ast.Assign) else ():
        if isinstance(target, ast.Attribute) and target.value is owner:
            yield target
