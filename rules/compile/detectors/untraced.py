"""Expressions that Dynamo cannot take into a graph, by the table of what breaks it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.roles import are_all
from torchlint.model.tensors.sure_tensors import is_surely_tensor
from torchlint.model.values.value_sets import Array, Built, Class, Function, Imported, Tensor, Unknown
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.graph_breaks import (
    ANY_OWNER,
    DEFAULTS,
    DISABLING,
    GENERATOR_ARGUMENT,
    LOGGER,
    LOGGER_METHODS,
    MADE_LAYERS,
    METHODS,
    METHODS_OF_MODULES,
    METHODS_OF_ROLES,
    OF_MODULES,
    OF_TENSORS,
    RECURRENT_LAYERS,
    REPEATING,
    SIZED_METHODS,
    UNTRACED_DERIVATIVES,
    UNTRACED_LAYERS,
    WITHOUT_ARGUMENTS,
)
from torchlint.pytorch.untraced import Untraced
from torchlint.pytorch.untraced_functions import FUNCTIONS, TRACED_OF_LIBRARIES, UNTRACED_LIBRARIES
from torchlint.syntax.arguments import has_open_keywords, has_star, passed
from torchlint.syntax.last_names import last_name

from .breaking_arguments import (
    by_argument,
    has_tensor_for_size,
    is_given_tensor,
    of_arguments,
)
from .graph_entries import is_decorated_by

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def of_test(ev: Evaluator, place: Place) -> Untraced | None:
    """Return why a test breaks the graph."""
    match place.statement:
        case ast.Assert(test=test, msg=None | ast.Constant()) if test is place.expression:
            return None  # it becomes a check in the graph
        case _:
            if is_surely_tensor(ev, place) or _is_looked_for(ev, place):
                return Untraced.BRANCH
            return Untraced.SYMBOL if _is_of_read_number(ev, place) else None


def _is_looked_for(ev: Evaluator, place: Place) -> bool:
    """Tell whether a tensor is compared with each of several things: `x.max() in (1, 2)`."""
    match place.expression:
        case ast.Compare(
            left=left, ops=[ast.In() | ast.NotIn()], comparators=[ast.Tuple(elts=[_, *_]) | ast.List(elts=[_, *_])]
        ):
            return is_surely_tensor(ev, place.at(left))
        case _:
            return False


def _is_of_read_number(ev: Evaluator, place: Place) -> bool:
    """Tell whether a test is one of a number that is read from a tensor: `n = y.max().item()`, `if n > 0`."""
    match place.expression:
        case ast.Compare(left=left, comparators=[*others]):
            return any(_is_read(ev, place.at(one)) for one in (left, *others))
        case _:
            return _is_read(ev, place)


def _is_read(ev: Evaluator, place: Place) -> bool:
    if isinstance(place.expression, ast.Name):
        bindings = place.scope.bindings.get(place.expression.id, ())
        if len(bindings) != 1 or bindings[0].kind != "assign" or bindings[0].value is None:
            return False
        place = Place(place.file, bindings[0].value, bindings[0].statement, place.frame)
    node = place.expression
    return isinstance(node, ast.Call) and last_name(node.func) != "tolist" and of_call(ev, place) is Untraced.NUMBER


def of_call(ev: Evaluator, place: Place) -> Untraced | None:
    """Return why a call breaks the graph."""
    call = place.expression
    assert isinstance(call, ast.Call)
    return _of_function(ev, place, call) or _of_object(ev, place, call) or _of_own(ev, place.at(call.func))


def _of_own(ev: Evaluator, callee: Place) -> Untraced | None:
    """Return why a call of a function of the project breaks the graph: it is kept out, or has an own derivative."""
    functions = [one.value for one in ev.evaluate(callee)]
    if not functions or not all(isinstance(one, Function) for one in functions):
        return None
    if all(isinstance(one, Function) and is_decorated_by(one, DISABLING) for one in functions):
        return Untraced.DISABLED
    has_own = isinstance(callee.expression, ast.Attribute) and _has_own_derivative(ev, callee, callee.expression)
    return Untraced.CALL if has_own else None


def _has_own_derivative(ev: Evaluator, callee: Place, node: ast.Attribute) -> bool:
    """Tell whether `Function.apply` is that of a `torch.autograd.Function` that Dynamo does not trace."""
    kinds = [one.value for one in ev.evaluate(callee.at(node.value))] if node.attr == "apply" else []
    return bool(kinds) and all(
        isinstance(one, Class) and any(method_of(ev, one, name) is not None for name in UNTRACED_DERIVATIVES)
        for one in kinds
    )


def _of_function(ev: Evaluator, place: Place, call: ast.Call) -> Untraced | None:
    """Return why a call of a function by its full name breaks the graph."""
    possible = ev.evaluate(place.at(call.func))
    if not possible or not all(isinstance(one.value, Imported) for one in possible):
        return None
    names = {canonical(one.value.name) for one in possible if isinstance(one.value, Imported)}
    if len(names) != 1:
        return None
    name = names.pop()
    if (found := FUNCTIONS.get(name)) is not None:
        return found
    if name.partition(".")[0] in UNTRACED_LIBRARIES and name not in TRACED_OF_LIBRARIES:
        return Untraced.CALL
    if name in MADE_LAYERS:
        return Untraced.PARAMETER
    if (default := DEFAULTS.get(name)) is not None:
        is_left = passed(call, default.keyword, default.position) is None
        return default.untraced if is_left and not has_star(call.args) and not has_open_keywords(call) else None
    if (found := of_arguments(ev, place, name, call)) is not None:
        return found
    if name in OF_MODULES and call.args and ev.is_module(place.at(call.args[0])):
        return OF_MODULES[name]
    return OF_TENSORS[name] if name in OF_TENSORS and is_given_tensor(ev, place, call) else None


def _of_object(ev: Evaluator, place: Place, call: ast.Call) -> Untraced | None:
    """Return why a call of an object or of its method breaks the graph."""
    if _are_layers(ev, place.at(call.func), RECURRENT_LAYERS):
        return Untraced.RECURRENT
    if _are_layers(ev, place.at(call.func), UNTRACED_LAYERS):
        return Untraced.CALL
    if not isinstance(call.func, ast.Attribute):
        return None
    owner, name = place.at(call.func.value), call.func.attr
    possible = ev.evaluate(owner)
    if _are_layers(ev, owner, RECURRENT_LAYERS):
        return Untraced.RECURRENT
    if name in SIZED_METHODS and is_surely_tensor(ev, owner) and has_tensor_for_size(ev, place, call.args):
        return SIZED_METHODS[name]
    if name in LOGGER_METHODS and possible and all(one.value == Built(LOGGER) for one in possible):
        return Untraced.OUTPUT
    for role, methods in METHODS_OF_ROLES.items():
        if name in methods and are_all(ev, possible, role):
            return methods[name]
    if name in METHODS_OF_MODULES and ev.is_module(owner):
        return Untraced.CALL
    return _of_tensor(ev, place, owner, name)


def _of_tensor(ev: Evaluator, place: Place, owner: Place, name: str) -> Untraced | None:
    """Return why a method of a tensor breaks the graph."""
    call, possible = place.expression, ev.evaluate(owner)
    assert isinstance(call, ast.Call)
    if (found := METHODS.get(name)) is None:
        is_asked = name == REPEATING or any(one.arg == GENERATOR_ARGUMENT for one in call.keywords)
        return by_argument(ev, place, name, call.args) if is_asked and is_surely_tensor(ev, owner) else None
    is_any = name in ANY_OWNER or (name in WITHOUT_ARGUMENTS and not call.args)
    if is_any and all(isinstance(one.value, (Tensor, Array, Unknown)) for one in possible):
        return found
    return found if is_surely_tensor(ev, owner) else None


def _are_layers(ev: Evaluator, place: Place, names: frozenset[str]) -> bool:
    possible = ev.evaluate(place)
    return bool(possible) and all(
        isinstance(one.value, Built) and canonical(one.value.name) in names for one in possible
    )
