"""Objects that cannot be made in a world: their constructor needs CUDA, and so do their methods."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.guards.failing import always_fails
from torchlint.model.values.value_sets import Class
from torchlint.syntax.around import is_self
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

# What these decorate needs no object.
_WITHOUT_OBJECT = ("staticmethod", "classmethod")
_MAKING = frozenset({"__init__", "__new__", "__init_subclass__", "__class_getitem__"})


def is_of_none(ev: Evaluator, file: ParsedFile, function: Scope) -> bool:
    """Tell whether a function is a method of objects whose constructors, in subclasses too, always fail."""
    if not function.is_method or function.outer is None or function.name in _MAKING:
        return False
    if function.is_decorated_as(*_WITHOUT_OBJECT):
        return False
    own = Class(file, function.outer)
    if not _fails_to_make(ev, own, function.name):
        return False
    return all(_fails_to_make(ev, heir, function.name) for heir in ev.subclasses(own))


def _fails_to_make(ev: Evaluator, kind: Class, method: str) -> bool:
    """Tell whether the constructor of a class fails, and calls no method of its object that may lead to this one."""
    constructor = method_of(ev, kind, "__init__")
    if constructor is None or not always_fails(ev, constructor):
        return False
    called = {
        node.func.attr
        for node in walk(constructor.scope.node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_self(node.func.value)
    }
    return method not in called
