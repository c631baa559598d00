"""Expressions that Dynamo cannot take into a graph, by the table of what breaks it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.roles import are_all
from torchlint.model.syncs.branching import asked
from torchlint.model.syncs.masks import is_mask, sized_by_data
from torchlint.model.tensors.sure_tensors import are_tensors, is_surely_tensor
from torchlint.model.values.value_sets import Array, Built, Class, Function, Imported, Tensor, Unknown
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.graph_breaks import (
    ANY_OWNER,
    ASSIGNED_ATTRIBUTES,
    DEFAULTS,
    DISABLING,
    FUNCTIONS,
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
)
from torchlint.pytorch.untraced import Untraced
from torchlint.syntax.arguments import has_open_keywords, has_star, passed
from torchlint.syntax.last_names import last_name
from torchlint.syntax.stores import store_target

from .breaking_arguments import (
    by_argument,
    has_tensor_for_size,
    is_given_tensor,
    of_arguments,
)
from .graph_entries import is_decorated_by

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.values.value_sets import Frame

_Judge: TypeAlias = "Callable[[Evaluator, Place], Untraced | None]"


@dataclass(frozen=True, slots=True)
class Suspect:
    """An expression that may break a graph, the operand that decides, and what tells."""

    place: Place
    operand: Place
    judge: _Judge

    def untraced(self, ev: Evaluator, frame: Frame | None) -> Untraced | None:
        """Return why Dynamo cannot trace the expression in a call context, None where it can or that is unknown."""
        return self.judge(ev, self.operand.within(frame))


def suspects(file: ParsedFile) -> Iterator[Suspect]:
    """Yield the expressions of a file that may break a graph: calls, tests, masks, and attributes that it assigns."""
    for call, statement in file.index.expressions(ast.Call):
        place = Place(file, call, statement)
        yield Suspect(place, place, _call)
    for place in asked(file):
        yield Suspect(place, place, _test)
    for place, _ in sized_by_data(file):
        if isinstance(place.expression, ast.Subscript):
            yield Suspect(place, place, _mask)
    for subscript, statement in file.index.expressions(ast.Subscript):
        if isinstance(subscript.slice, (ast.Slice, ast.Tuple)):
            place = Place(file, subscript, statement)
            yield Suspect(place, place, _bounds)
    for store in file.index.stores:
        if store.kind == "assign" and isinstance(store.key, str) and store.key in ASSIGNED_ATTRIBUTES:
            owner = Place(file, store.target, store.statement)
            yield Suspect(owner.at(store_target(store)), owner, _made_here if store.key == "data" else _assigned)


def _test(ev: Evaluator, place: Place) -> Untraced | None:
    match place.statement:
        case ast.Assert(test=test, msg=None | ast.Constant()) if test is place.expression:
            return None  # it becomes a check in the graph
        case _:
            if is_surely_tensor(ev, place):
                return Untraced.BRANCH
            return Untraced.SYMBOL if _is_of_read_number(ev, place) else None


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
    return isinstance(node, ast.Call) and last_name(node.func) != "tolist" and _call(ev, place) is Untraced.NUMBER


def _mask(ev: Evaluator, place: Place) -> Untraced | None:
    assert isinstance(place.expression, ast.Subscript)
    index = place.at(place.expression.slice)
    # Whatever is indexed with a mask is no list.
    parts = (index, place.at(place.expression.value)) if is_mask(ev, index) else ()
    return Untraced.SHAPE if parts and all(are_tensors(ev, one) for one in parts) else None


def _bounds(ev: Evaluator, place: Place) -> Untraced | None:
    """Return why a subscript breaks the graph: a slice has a tensor for a bound."""
    assert isinstance(place.expression, ast.Subscript)
    index = place.expression.slice
    slices = [one for one in (index.elts if isinstance(index, ast.Tuple) else [index]) if isinstance(one, ast.Slice)]
    bounds = [bound for one in slices for bound in (one.lower, one.upper) if bound is not None]
    return Untraced.NUMBER if any(is_surely_tensor(ev, place.at(bound)) for bound in bounds) else None


def _assigned(ev: Evaluator, owner: Place) -> Untraced | None:
    return Untraced.ATTRIBUTE if is_surely_tensor(ev, owner) else None


def _made_here(ev: Evaluator, owner: Place) -> Untraced | None:
    made = [one.origin for one in ev.evaluate(owner)]
    is_here = all(one is not None and one.scope is owner.scope for one in made)
    return _assigned(ev, owner) if is_here else None


def _call(ev: Evaluator, place: Place) -> Untraced | None:
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
    if _is_recurrent(ev, place.at(call.func)):
        return Untraced.RECURRENT
    if not isinstance(call.func, ast.Attribute):
        return None
    owner, name = place.at(call.func.value), call.func.attr
    possible = ev.evaluate(owner)
    if _is_recurrent(ev, owner):
        return Untraced.RECURRENT
    if name in SIZED_METHODS and is_surely_tensor(ev, owner) and has_tensor_for_size(ev, place, call):
        return Untraced.NUMBER
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
    if name in ANY_OWNER and all(isinstance(one.value, (Tensor, Array, Unknown)) for one in possible):
        return found
    return found if is_surely_tensor(ev, owner) else None


def _is_recurrent(ev: Evaluator, place: Place) -> bool:
    possible = ev.evaluate(place)
    return bool(possible) and all(
        isinstance(one.value, Built) and canonical(one.value.name) in RECURRENT_LAYERS for one in possible
    )
