"""Devices that are named first and given up right away where there is no such: to name one asks for nothing yet.

`device = torch.device(name)`, and then `if device.type == "cuda" and not torch.cuda.is_available(): device = …`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.syntax.last_names import callee_name
from torchlint.model.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.values.evaluator import Evaluator


def is_given_up(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call is `torch.device(…)`, and its name surely bound anew before anybody needs the device."""
    name = _name_of(call)
    if name is None:
        return False
    block, position = call.file.index.home[call.statement]
    for statement in block.body[position + 1 :]:
        if isinstance(statement, ast.If) and _binds(call, statement, name):
            return ev.truth(Place(call.file, statement.test, statement, call.frame, call.given)) is True
        if any(isinstance(node, ast.Name) and node.id == name for node in walk(statement)):
            return False
    return False


def _name_of(call: Place) -> str | None:
    """Return the name that is given the device, be it the one arm of a choice."""
    if not isinstance(call.expression, ast.Call) or callee_name(call.expression) != "device":
        return None
    match call.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            arms = (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
            return name if call.expression in arms else None
        case _:
            return None


def _binds(call: Place, statement: ast.If, name: str) -> bool:
    """Tell whether the body of an `if` gives a name another value."""
    bound = {one.statement for one in call.scope.bindings.get(name, ()) if one.kind == "assign"}
    return not bound.isdisjoint(statement.body)
