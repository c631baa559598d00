"""Devices that are named first, and checked before they are used: naming one needs no GPU.

`device = torch.device(name)`, and then `if device.type == "cuda" and not torch.cuda.is_available():` assigns another
one, returns, or exits.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from torchlint.model.guards.failing import never_returns
from torchlint.model.guards.narrowing import outcome_if
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Device, Possibility
from torchlint.syntax.arms import arms_of
from torchlint.syntax.exits import is_exit
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_CUDA = Possibility(Device("cuda"))


def is_only_probed(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call is `torch.device(…)`, and surely no path leads from it to a use of that device."""
    name = _name_of(call)
    if name is None:
        return False
    block, position = call.file.index.home[call.statement]
    return _ends_without(ev, call, name, block.body[position + 1 :]) is True


def _name_of(call: Place) -> str | None:
    """Return the target of a device, also if it is one arm of a choice: `device`, `self.device`."""
    if not isinstance(call.expression, ast.Call) or callee_name(call.expression) != "device":
        return None
    match call.statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
            return written(target) if call.expression in arms_of(value) else None
        case _:
            return None


def _ends_without(ev: Evaluator, call: Place, name: str, body: Sequence[ast.stmt]) -> bool | None:
    """Tell whether a device is replaced before a block uses it, False if it may be used; None if neither."""
    for statement in body:
        end = _end(ev, call, name, statement)
        if end is not None:
            return end
    return None


def _end(ev: Evaluator, call: Place, name: str, statement: ast.stmt) -> bool | None:
    here = Place(call.file, call.expression, statement, call.frame, call.given)
    match statement:
        case ast.If(test=test, body=then, orelse=otherwise) if (
            outcome := _outcome(ev, here.at(test), name)
        ) is not None:
            return _ends_without(ev, call, name, then if outcome else otherwise)
        case ast.Assert(test=test) if _outcome(ev, here.at(test), name) is False:
            return True
        case ast.Expr(value=ast.Call() as checked) if is_exit(statement) or never_returns(ev, here.at(checked)):
            return True
        case ast.Raise():
            return True
        case ast.Assign(targets=[target], value=value) if written(target) == name:
            return not _says(value, name)
        case ast.Return():
            return _is_local(call, name) and not _says(statement, name)
        case ast.Break() | ast.Continue():
            return False
        case _:
            return False if _says(statement, name) or _may_ask(call, statement, name) else None


def _outcome(ev: Evaluator, test: Place, name: str) -> bool | None:
    """Tell the outcome of a test if a name is a CUDA device."""
    outcome = ev.truth(test)
    return outcome if outcome is not None else outcome_if(ev, test, name, _CUDA)


def _is_local(call: Place, name: str) -> bool:
    """Tell whether the value of a name is local to the function."""
    return "." not in name and call.scope.kind == "function" and name not in call.scope.outside


def _may_ask(call: Place, statement: ast.stmt, name: str) -> bool:
    """Tell whether a statement may run what reads a name from outside: `self.build()` reads `self.device`."""
    if _is_local(call, name):
        return False
    root, is_held, _ = name.partition(".")
    calls = (node for node in walk(statement) if isinstance(node, ast.Call))
    return any(_says(one, root) if is_held else _is_of_file(call, one.func) for one in calls)


def _is_of_file(call: Place, function: ast.expr) -> bool:
    name = function.id if isinstance(function, ast.Name) else ""
    return any(one.scope is not None for one in call.file.index.scope.bindings.get(name, ()))


def _says(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, (ast.Name, ast.Attribute)) and written(part) == name for part in walk(node))
