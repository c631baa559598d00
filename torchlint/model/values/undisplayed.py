"""Expressions that are no list, dict or lambda by their syntax: that of a layer or a sum takes no query."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.results.externals import passes_on
from torchlint.model.values.plain import plain
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Imported

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding


def is_no_display(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression cannot be a display, by its form and by the imports and classes that it calls."""
    match place.expression:
        case ast.Constant() | ast.Compare() | ast.JoinedStr() | ast.UnaryOp():
            return True
        case ast.IfExp(body=body, orelse=orelse):
            parts = [body, orelse]
        case ast.BoolOp(values=values):
            parts = values
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.Call(func=function):
            return _makes_none(ev, place.at(function))
        case ast.Name(id=name):
            return _holds_none(ev, place, name)
        case _:
            return False
    return all(is_no_display(ev, place.at(part)) for part in parts)


@tabled(False)
def _makes_none(ev: Evaluator, callee: Place) -> bool:
    found = plain(callee)
    match found[0].value if found is not None else None:
        case Class():
            return True
        case Imported(name=name):
            return not passes_on(name)
        case Function(file=file, scope=scope):
            returned = (Place(file, one.value, one) for one in scope.returns if one.value is not None)
            return all(is_no_display(ev, one) for one in returned)
        case _:
            return False


@tabled(False)
def _holds_none(ev: Evaluator, place: Place, name: str) -> bool:
    """Tell whether no value that a function assigns to a local name is a display."""
    bindings = place.scope.bindings.get(name)
    if bindings is None or name in place.scope.outside or place.statement in place.file.index.binding:
        return False
    return all(_gives_none(ev, place, one) for one in bindings)


def _gives_none(ev: Evaluator, place: Place, binding: Binding) -> bool:
    """Tell whether a binding gives its name no display: a parameter that is said to be a number is given none."""
    if binding.kind == "parameter":
        return any(one.name == binding.name and one.is_scalar for one in place.scope.parameters)
    if binding.kind != "assign" or binding.selector or binding.value is None:
        return False
    return is_no_display(ev, Place(place.file, binding.value, binding.statement))
