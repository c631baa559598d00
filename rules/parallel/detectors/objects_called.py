"""Which methods of an object run on a call path: a subclass may have its own.

`Base.__init__` runs `self.build()`, which is a certain `build` of some subclasses only.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.values.value_sets import Class, Function, Instance, Possibility
from torchlint.syntax.around import is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place


def methods_of_object(call: Place, method: Function, further: tuple[Function, ...]) -> tuple[Function, ...]:
    """Return the methods that the object has in whose method a call is, which leads to these `further` ones of it."""
    match call.expression:
        case ast.Call(func=ast.Attribute(value=owner)) if is_self(owner):
            return (*further, method)
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
            return further
        case _:
            return ()


def runs_methods(ev: Evaluator, call: Place, methods: tuple[Function, ...]) -> bool:
    """Tell whether the object of a call may have these methods, or is the one that the call is in."""
    if not methods or not isinstance(call.expression, ast.Call) or _is_of_same_object(call.expression):
        return True
    callees = ev.evaluate(call.at(call.expression.func))
    return not callees or any(_has(ev, one, methods) for one in callees)


def _is_of_same_object(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
            return True
        case ast.Attribute(value=owner):
            return is_self(owner)
        case _:
            return False


def _has(ev: Evaluator, callee: Possibility, methods: tuple[Function, ...]) -> bool:
    match callee.value:
        case Class() as kind:
            pass
        case Function(receiver=Possibility(value=Instance(kind=kind))):
            pass
        case _:
            return True
    return all(method_of(ev, kind, one.scope.name) in {None, one} for one in methods)
