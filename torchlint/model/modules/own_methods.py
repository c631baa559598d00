"""Which methods of its own a module runs with its `forward`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.syntax.closure import closure
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.values.value_sets import Class, Function
    from torchlint.syntax.scope import Scope


def run_by_forward(ev: Evaluator, kind: Class) -> dict[Scope, Function]:
    """Return the methods of a class that `forward` runs on its object, itself and properties included."""

    def run_by(method: Function) -> Iterator[Function]:
        return (one for name in _asked(ev, method) if (one := method_of(ev, kind, name)) is not None)

    forward = method_of(ev, kind, "forward")
    run = closure(forward, run_by) if forward is not None else ()
    return {method.scope: method for method in run if method.scope.parameters}


def _asked(ev: Evaluator, method: Function) -> Iterator[str]:
    """Yield the names of the methods that a method calls on its own object, and of what that may compute."""
    if not method.scope.parameters:
        return
    receiver = method.scope.parameters[0].name
    for call, _ in method.file.calls_in_scope(method.scope):
        match call.func:
            case ast.Attribute(value=ast.Name(id=name), attr=called) if name == receiver:
                yield called
    for node in walk(method.scope.node):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=read) if name == receiver:
                yield from (read,) if ev.project.library.computing(read) else ()
