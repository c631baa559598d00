"""Methods that only run while their object is constructed, and so before it can be moved."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.around import is_self
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@tabled(False)
def is_being_made(ev: Evaluator, file: ParsedFile, method: Scope) -> bool:
    """Tell whether a method is `__init__`, or is only called as `self.method()` in such methods, also of a part."""
    if method.name == "__init__":
        return True
    if not _is_called_beside(file, method):
        return False
    callers = [caller.place for caller in ev.callers(Function(file, method))]
    return bool(callers) and all(_is_on_self(one, method) and is_being_made(ev, one.file, one.scope) for one in callers)


def _is_called_beside(file: ParsedFile, method: Scope) -> bool:
    """Tell whether another method of the file calls something of that name; to query the callers takes far longer."""
    scopes = (Place(file, call, statement).scope for call, statement in file.index.calls(method.name))
    return method.is_method and any(scope.is_method for scope in scopes)


def _is_on_self(call: Place, method: Scope) -> bool:
    match call.expression:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=owner) | owner, attr=name)):
            return name == method.name and is_self(owner)
        case _:
            return False
