"""Modules that an object makes for itself, in a file that moves nothing: `self.net = Net()`, and `self.net(x)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.options.option_stores import holds_options
from torchlint.model.values.value_sets import Built, Instance
from torchlint.syntax.around import class_around, is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place

_MOVING = (".to(", ".cuda(", "device", "to_empty(", "prepare(")


def is_never_moved(ev: Evaluator, module: Place) -> bool:
    """Tell whether an attribute holds what its file makes, does not pass on, and never moves."""
    kind = class_around(module)
    match module.expression:
        case ast.Attribute(value=owner, attr=name) if is_self(owner) and kind is not None:
            if any(word in module.file.code for word in _MOVING) or _is_moved_by_others(ev, kind.name, name):
                return False
            return _is_made_here(ev, module) and not _is_passed_on(module, name)
        case _:
            return False


def _is_made_here(ev: Evaluator, module: Place) -> bool:
    """Tell whether every possibility of a module is made by a call in its file."""
    possible = [one for one in ev.evaluate(module) if is_module(ev, one.value)]
    return bool(possible) and all(
        isinstance(one.value, (Built, Instance)) and one.origin is not None and one.origin.file is module.file
        for one in possible
    )


def _is_passed_on(module: Place, name: str) -> bool:
    """Tell whether the file uses an attribute otherwise than to call it and to read what modules have."""
    for read, statement in module.file.attribute_reads(name):
        if holds_options(read.value):
            continue
        match module.file.parents_in(statement).get(read):
            case ast.Attribute():
                pass
            case ast.Call(func=function) if function is read:
                pass
            case _:
                return True
    return False


def _is_moved_by_others(ev: Evaluator, kind: str, name: str) -> bool:
    """Tell whether a file that mentions the class contains `….net.cuda()`."""
    library = ev.project.library
    moving = {**library.holding(f".{name}.to("), **library.holding(f".{name}.cuda(")}
    return not moving.keys().isdisjoint(library.holding(kind))
