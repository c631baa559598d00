"""Modules without parts whose constructor never runs `Module.__init__`: the first call of one raises.

Attributes of such an object are plain ones, so that the constructor itself succeeds. `Module.__call__` reads the tables
of hooks, which `Module.__init__` makes (torch 2.13).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.headers import name_of
from torchlint.model.values.value_sets import Class

from .early_parts import early_parts
from .initializing import initializing_calls, may_initialize_without, module_order

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place
    from torchlint.syntax.scope import Scope


def uninitialized_modules(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield the names of such constructors in a file; those that `early_parts` reports raise before."""
    early = {part.place.scope for part in early_parts(ev, file)}
    for scope in file.index.scopes:
        if scope.name == "__init__" and scope.is_method and scope not in early and _is_forgotten(ev, file, scope):
            yield name_of(file, scope)


def _is_forgotten(ev: Evaluator, file: ParsedFile, constructor: Scope) -> bool:
    """Tell whether a module that can be called is initialized neither by its constructor nor by that of a subclass."""
    if constructor.outer is None or _only_raises(constructor):
        return False
    kind = Class(file, constructor.outer)
    order = module_order(ev, kind)
    if order is None or method_of(ev, kind, "forward") is None or may_initialize_without(file, constructor):
        return False
    if next(initializing_calls(ev, order, file, constructor), None) is not None:
        return False
    # A subclass with a constructor may initialize the module before it calls this one.
    return not any("__init__" in heir.scope.bindings for heir in ev.subclasses(kind) if heir != kind)


def _only_raises(constructor: Scope) -> bool:
    """Tell whether no object can be made: the class is abstract."""
    node = constructor.node
    return isinstance(node, ast.FunctionDef) and any(isinstance(one, ast.Raise) for one in node.body)
