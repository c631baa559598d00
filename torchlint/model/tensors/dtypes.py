"""Which dtype an expression has, as a tensor or an ndarray: followed back to what made or converted it.

What is not known is `None`; a path leads into tuples, `(1,)` to `y` of `x, y = split(data)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH, MOST_CALLERS
from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.calls import Call, call_at
from torchlint.model.place import Caller, Place
from torchlint.model.roles import LOADERS, is_a
from torchlint.model.tensors.batch_items import Path, Source, batch_items, float_in
from torchlint.model.tensors.made_numbers import Operation, operation_of
from torchlint.model.tensors.numbers import NO_NUMBERS, OPEN, Numbers, Possible, agreed
from torchlint.model.values.frames import frame_for, frame_into
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Instance, Literal, Number
from torchlint.pytorch.passing import SHOWING
from torchlint.syntax.arguments import has_star
from torchlint.syntax.around import is_self
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding, Parameter, Scope, Store

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def numbers_of(ev: Evaluator, place: Place) -> Numbers | None:
    """Return the dtype of a tensor or an ndarray, None where it is unknown or the expression is neither."""
    return agreed(_numbers(ev, place, ()))


@tabled(NO_NUMBERS)
def _numbers(ev: Evaluator, place: Place, path: Path) -> Possible:
    match place.expression:
        case ast.Name(id=name):
            return _of_name(ev, place, name, path)
        case ast.Attribute(value=owner, attr="T" | "data"):
            return _numbers(ev, place.at(owner), path)
        case ast.Attribute(value=owner, attr=attr):
            return _of_attribute(ev, place.at(owner), attr, path)
        case ast.Tuple(elts=parts) | ast.List(elts=parts) if path:
            is_known = not has_star(parts) and path[0] < len(parts)
            return _numbers(ev, place.at(parts[path[0]]), path[1:]) if is_known else OPEN
        case ast.Subscript(value=value, slice=key):
            return _of_item(ev, place.at(value), key, path)
        case ast.IfExp(body=body, orelse=orelse):
            return _any(_numbers(ev, place.at(one), path) for one in (body, orelse))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _numbers(ev, place.at(operand), path)
        case ast.BinOp(left=left, op=op, right=right) if not path:
            return _combined(ev, op, place.at(left), place.at(right))
        case ast.Call():
            return _of_call(ev, Call(place.file, place.expression, place.statement, place.frame, place.given), path)
        case _:
            return OPEN


def _of_item(ev: Evaluator, container: Place, key: ast.expr, path: Path) -> Possible:
    """Return what a bracket takes out: rows of an array, or an item of a tuple."""
    whole = _numbers(ev, container, path)
    match key:
        case ast.Constant(value=int(position)) if agreed(whole) is None:
            return _numbers(ev, container, (position, *path))
        case _:
            return whole


def _of_name(ev: Evaluator, place: Place, name: str, path: Path) -> Possible:
    if _is_bound_inside(place, name):
        return OPEN
    if (scope := place.scope.binder(name)) is None:
        return OPEN
    bindings = scope.bindings[name]
    if scope is not place.scope:
        return _any(_of_binding(ev, place, scope, one, path) for one in bindings)
    found = reaching(place.file.index, bindings, place.statement, ev.decide(place))
    return OPEN if found.open else _any(_of_binding(ev, place, scope, one, path) for one in found.definitions)


def _any(found: Iterable[Possible]) -> Possible:
    """Return what one of several may be, up to the first that is unknown: the others do not make that known."""
    possible = NO_NUMBERS
    for one in found:
        if None in one:
            return OPEN
        possible |= one
    return possible


def _is_bound_inside(place: Place, name: str) -> bool:
    """Tell whether a comprehension or a lambda around an expression may bind a name of its own."""
    parents = place.file.parents_in(place.statement)
    node: ast.AST | None = place.expression
    while node is not None:
        if isinstance(node, _COMPREHENSIONS):
            bound = (one for one in walk(node) if isinstance(one, (ast.Name, ast.arg)))
            if any(isinstance(one, ast.arg) or (one.id == name and isinstance(one.ctx, ast.Store)) for one in bound):
                return True
        node = parents.get(node)
    return False


def _of_binding(ev: Evaluator, place: Place, scope: Scope, one: Binding, path: Path) -> Possible:
    if one.kind == "parameter":
        return _passed(ev, place, scope, one.name, path)
    inside = (*one.selector, *path)
    if one.value is None or any(position is None for position in inside):
        return OPEN
    known = tuple(position for position in inside if position is not None)
    value = Place(place.file, one.value, one.statement, place.frame, place.given)
    match one.kind:
        case "assign":
            return _numbers(ev, value, known)
        case "iterate":
            return _of_element(ev, value, known)
        case _:
            return OPEN


def _passed(ev: Evaluator, place: Place, scope: Scope, name: str, path: Path) -> Possible:
    """Return what the call on the way passes for a parameter, or else all known callers."""
    parameter = next(one for one in scope.parameters if one.name == name)
    frame = frame_into(place, scope)
    if frame is not None and frame.call is not None:
        callers: tuple[Caller, ...] = (Caller.of_frame(frame, frame.call),)
    else:
        callers = ev.callers(Function(place.file, scope))
    if not callers or len(callers) > MOST_CALLERS or parameter.star:
        return OPEN
    return _any(_passed_by(ev, one, parameter, path) for one in callers)


def _passed_by(ev: Evaluator, caller: Caller, parameter: Parameter, path: Path) -> Possible:
    """Return what one caller passes, be it an item of what it unpacks: `load(*split(data))`."""
    if given := caller.argument(parameter):
        return _any(_numbers(ev, one, path) for one in given)
    arguments = caller.place.expression.args if isinstance(caller.place.expression, ast.Call) else []
    stars = [at for at, one in enumerate(arguments) if isinstance(one, ast.Starred)]
    if parameter.position is None or len(stars) != 1 or parameter.name in caller.keywords:
        return OPEN
    item, starred = parameter.position - caller.bound - stars[0], arguments[stars[0]]
    assert isinstance(starred, ast.Starred)
    return _numbers(ev, caller.place.at(starred.value), (item, *path)) if item >= 0 else OPEN


def _of_attribute(ev: Evaluator, owner: Place, name: str, path: Path) -> Possible:
    """Return what the classes of an object put into an attribute."""
    kinds: list[Class] = []
    for one in ev.evaluate(owner):
        if not isinstance(one.value, Instance):
            return OPEN
        kinds += [kind for kind in family(ev, one.value.kind) if isinstance(kind, Class)]
    stores = [(kind, store) for kind in kinds for store in kind.file.index.attribute_stores(name)]
    return _any(_of_store(ev, kind, store, path) for kind, store in stores) if stores else OPEN


def _of_store(ev: Evaluator, kind: Class, store: Store, path: Path) -> Possible:
    scope = kind.file.index.home[store.statement][0].scope
    if scope.outer is not kind.scope:
        # Another class has an attribute of that name; or code outside the class sets this one.
        return NO_NUMBERS if is_self(store.target) else OPEN
    inside = (*store.selector, *path)
    if store.kind != "assign" or store.value is None or any(position is None for position in inside):
        return OPEN
    known = tuple(position for position in inside if position is not None)
    return _numbers(ev, Place(kind.file, store.value, store.statement), known)


def _of_element(ev: Evaluator, iterated: Place, path: Path) -> Possible:
    """Return what iterating over something gives: batches of a loader, rows of an array."""
    call = call_at(iterated)
    arguments = call.arguments if call is not None else ()
    if call is not None and arguments and "builtins.enumerate" in call.callee.names:
        return _of_element(ev, arguments[0], path[1:]) if path[:1] == (1,) else OPEN
    if call is not None and arguments and call.callee.names & SHOWING:
        return _of_element(ev, arguments[0], path)
    possible = ev.evaluate(iterated)
    if possible and all(is_a(ev, one.value, LOADERS) for one in possible):
        return _any(_of_batch(ev, source) for one in possible for source in batch_items(ev, one, path))
    return _numbers(ev, iterated, path)


def _of_batch(ev: Evaluator, source: Source) -> Possible:
    """Return what a loader makes of an item: a tensor, of an array with the same dtype."""
    if source is not None and (item := float_in(ev, *source)) is not None:
        return frozenset({Numbers("float64", False, item)})
    found = _numbers(ev, *source) if source is not None else OPEN
    return frozenset(one.as_tensor() if one is not None else None for one in found)


def _combined(ev: Evaluator, op: ast.operator, left: Place, right: Place) -> Possible:
    """Return what an operation makes of two operands: one that is a number of Python leaves floats as they are."""
    sides = [agreed(_numbers(ev, side, ())) for side in (left, right)]
    known = [one for one in sides if one is not None]
    if len(known) == 2:
        is_same = known[0][:2] == known[1][:2] and (known[0].is_floating or not isinstance(op, ast.Div))
        return frozenset(known[:1]) if is_same else OPEN
    other = right if sides[0] is not None else left
    is_scaled = len(known) == 1 and known[0].is_floating and _is_plain_number(ev, other)
    return frozenset(known) if is_scaled else OPEN


def _is_plain_number(ev: Evaluator, place: Place) -> bool:
    possible = [one.value for one in ev.evaluate(place)]
    return bool(possible) and all(
        isinstance(one, Number) or (isinstance(one, Literal) and isinstance(one.value, (int, float)))
        for one in possible
    )


def _of_call(ev: Evaluator, call: Call, path: Path) -> Possible:
    functions = [one.value for one in ev.evaluate(call.callee)]
    if any(isinstance(one, Function) for one in functions):
        return _any(_returned(ev, call, one, path) if isinstance(one, Function) else OPEN for one in functions)
    operation = operation_of(ev, call) if not path else None
    return _result(ev, call, operation) if operation is not None else OPEN


def _returned(ev: Evaluator, call: Call, function: Function, path: Path) -> Possible:
    frame = frame_for(call, function, FRAME_DEPTH)
    returns = [one for one in function.scope.returns if one.value is not None]
    if frame is None or function.scope.yields or not returns:
        return OPEN
    places = (Place(function.file, one.value, one, frame) for one in returns if one.value is not None)
    return _any(_numbers(ev, one, path) for one in places)


def _result(ev: Evaluator, call: Call, operation: Operation) -> Possible:
    """Return what an operation makes of its operands."""
    if operation.dtype is not None:
        return frozenset({Numbers(operation.dtype, operation.is_array is True, call)})
    operand = agreed(_any(_numbers(ev, one, ()) for one in operation.operands))
    if operand is None or operation.of_arrays not in (None, operand.is_array):
        return OPEN
    if operation.of_floats and not operand.is_floating:
        return OPEN
    return frozenset({operand if operation.is_array is None else operand._replace(is_array=operation.is_array)})
