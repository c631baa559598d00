"""Tensors that a method returns of a module which nothing in view moves, or which takes inputs on the host.

The evaluator says of a module's own method that the module is where those who make one move it. The call of the method
shows which one that is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.modules.unmoving import moves_nothing
from torchlint.model.place import Place
from torchlint.model.results.module_outputs import is_given_host
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Instance
from torchlint.model.values.values_of_names import Expanded, values_of_names
from torchlint.pytorch.moves import MOVES
from torchlint.syntax.around import is_self
from torchlint.syntax.closure import closure
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@tabled(False)
def comes_of_unmoved_module(ev: Evaluator, tensor: Place) -> bool:
    """Tell whether a tensor is what a method of such a module returns, and nothing in view moves it afterwards."""
    expanded: Expanded = {}
    sources = closure(tensor, lambda one: _computed_from(ev, one, expanded))
    calls = {call: name for one in sources for call, name in _method_calls(one)}
    return MOVES.isdisjoint(calls.values()) and any(_is_of_unmoved(ev, call) for call in calls)


def _computed_from(ev: Evaluator, place: Place, expanded: Expanded) -> Iterator[Place]:
    """Yield what the names in an expression are bound to, and what the functions that it calls return."""
    yield from values_of_names(place, expanded)
    for call, _ in _method_calls(place):
        for function in () if _modules_called(ev, call) else callees_of(ev, call):
            yield from (Place(function.file, one.value, one) for one in function.scope.returns if one.value is not None)


def _method_calls(place: Place) -> Iterator[tuple[Place, str]]:
    for part in walk(place.expression):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            yield place.at(part), part.func.attr


def _modules_called(ev: Evaluator, call: Place) -> list[Instance]:
    """Return the modules of the project, in view of the caller, that a call may call a method of."""
    match call.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if not is_self(owner):
            values = [one.value for one in ev.evaluate(call.at(owner))]
            modules = [one for one in values if isinstance(one, Instance) and is_module(ev, one)]
            return [one for one in modules if method_of(ev, one.kind, name) is not None]
        case _:
            return []


def _is_of_unmoved(ev: Evaluator, call: Place) -> bool:
    modules = _modules_called(ev, call)
    if not modules or not isinstance(call.expression, ast.Call) or not isinstance(call.expression.func, ast.Attribute):
        return False
    if ev.residence(call.at(call.expression.func.value)) in {None, HOST}:
        return True
    # With these inputs, a module raises unless it is on the host.
    return is_given_host(ev, call) and all(moves_nothing(one.kind) for one in modules)
