"""Modules that are meant to be frozen by an attribute: `requires_grad` is one of tensors, and a module has none."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Instance, Possibility
from torchlint.syntax.around import class_around, is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_FLAG = "requires_grad"


@dataclass(frozen=True, slots=True)
class ModuleFlag:
    """A target of an assignment, `net.requires_grad`, and what is assigned to it."""

    place: Place
    value: Place


def module_flags(ev: Evaluator, file: ParsedFile) -> Iterator[ModuleFlag]:
    """Yield where a file assigns to `requires_grad` of what surely is a module, in source order.

    An argument that a class stores under that name is a setting of its own: `self.requires_grad = requires_grad`.
    """
    for store in file.index.stores:
        if store.key != _FLAG or store.kind != "assign" or not isinstance(store.statement, ast.Assign):
            continue
        owner, value = Place(file, store.target, store.statement), store.statement.value
        if is_self(store.target) and not isinstance(value, ast.Constant):
            continue
        possible = _of_class(owner) if is_self(store.target) else ev.evaluate(owner)
        if possible and all(_has_no_flag(ev, one) for one in possible) and not ev.project.once(is_flag_read):
            targets = (one for one in store.statement.targets if _is_of(one, store.target))
            yield from (ModuleFlag(owner.at(one), owner.at(value)) for one in targets)


def _of_class(place: Place) -> tuple[Possibility, ...]:
    """Return what `self` is: an object of the class around it."""
    scope = class_around(place)
    return (Possibility(Instance(Class(place.file, scope))),) if scope is not None else ()


def _has_no_flag(ev: Evaluator, one: Possibility) -> bool:
    """Tell whether something is a module whose class does not use `requires_grad`."""
    if not is_module(ev, one.value):
        return False
    if not isinstance(one.value, Instance):
        return True
    return all(method_of(ev, one.value.kind, name) is None for name in (_FLAG, "__setattr__"))


def is_flag_read(ev: Evaluator) -> bool:
    """Tell whether the project reads such an attribute of a module: then it is a mark or a setting."""
    files = (file for path in ev.project.library.holding(_FLAG) if (file := ev.project.parsed(path)) is not None)
    return any(_reads_flag(ev, file) for file in files)


def _reads_flag(ev: Evaluator, file: ParsedFile) -> bool:
    places = (Place(file, node.value, statement) for node, statement in file.attribute_reads(_FLAG))
    owners = (_of_class(one) if is_self(one.expression) else ev.evaluate(one) for one in places)
    return any(is_module(ev, one.value) for possible in owners for one in possible)


def _is_of(target: ast.expr, owner: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and target.value is owner
