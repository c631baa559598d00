"""The calls by which the constructors of a class and its bases run for an object.

`Sub(3)` runs `Base.__init__` with what `super().__init__(width, **kwargs)` passes in the constructor of `Sub`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Frame, Function, Instance, Possibility
from torchlint.syntax.closure import closure
from torchlint.syntax.scope import Scope, Store
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Of an object that was made within more calls, the frames are dropped.
_MOST_FRAMES = 4
_CHOOSING = (ast.IfExp, ast.BoolOp, ast.Compare, ast.Name, ast.Attribute, ast.Constant)


def constructing(ev: Evaluator, method: Scope, owner: Possibility) -> Frame | None:
    """Return the frame of `__init__` for an object whose construction is known."""
    origin = owner.origin
    if method.name != "__init__" or origin is None or not isinstance(origin.expression, ast.Call):
        return None
    return _by_way_of_own(ev, method, owner) if origin.frame is None or origin.frame.depth < _MOST_FRAMES else None


def inheriting(ev: Evaluator, method: Scope, owner: Possibility, store: Store) -> Frame | None:
    """Return the frame of an inherited `__init__` that stores a parameter: its arguments depend on the class."""
    assert isinstance(owner.value, Instance)
    if method.name != "__init__" or owner.origin is not None or method.outer is owner.value.kind.scope:
        return None
    return _by_way_of_own(ev, method, owner) if _is_chosen_by_parameter(method, store.value) else None


def _is_chosen_by_parameter(method: Scope, value: ast.expr | None) -> bool:
    """Tell whether a value is a parameter, or chosen by one among names: `DEFAULT if flag is None else flag`."""
    if not isinstance(value, (ast.Name, ast.IfExp, ast.BoolOp)):
        return False
    parts = [node for node in walk(value) if isinstance(node, ast.expr)]
    names = {node.id for node in parts if isinstance(node, ast.Name)}
    is_plain = all(isinstance(node, _CHOOSING) for node in parts)
    return is_plain and any(one.name in names for one in method.parameters[1:])


def _by_way_of_own(ev: Evaluator, method: Scope, owner: Possibility) -> Frame:
    """Return the frame of a constructor for an object, through its class's own constructor; else through any call."""
    assert isinstance(owner.value, Instance)
    first = method_of(ev, owner.value.kind, "__init__")
    if first is None or first.scope is method:
        return Frame(method, owner.origin, owner)
    way = _only_way(ev, _order(ev, owner.value.kind), first, method)
    frame = Frame(first.scope, owner.origin, owner)
    for one in way or ():
        call = one.call.within(frame)
        frame = Frame(one.target.scope, call, owner, is_given=one.is_given, goes_on=True)
    return frame if way is not None else Frame(method, None, owner)


def _order(ev: Evaluator, kind: Class) -> list[Class]:
    """Return the classes of the project in `super()` order: bases after all their subclasses."""
    classes = [one for one in family(ev, kind) if isinstance(one, Class)]
    return list(dict.fromkeys(reversed(classes)))[::-1]


@dataclass(frozen=True, slots=True)
class _Continued:
    """A call in a constructor that runs a base's constructor for the same object."""

    call: Place
    target: Function
    is_given: bool
    """Whether the object is its first argument: `Base.__init__(self, width)`."""


def _only_way(ev: Evaluator, order: Sequence[Class], first: Function, method: Scope) -> list[_Continued] | None:
    """Return the calls by which a constructor leads to that of a base, None if there are none, or several ways."""
    leading: dict[Scope, list[_Continued]] = {}
    for function in closure(first, lambda one: [call.target for call in _continued(ev, order, one)]):
        for call in _continued(ev, order, function):
            leading.setdefault(call.target.scope, []).append(call)
    way: list[_Continued] = []
    scope = method
    while scope is not first.scope:
        if len(calls := leading.get(scope, [])) != 1:
            return None
        way += calls
        scope = calls[0].call.scope
    return way[::-1]


def _continued(ev: Evaluator, order: Sequence[Class], function: Function) -> Iterator[_Continued]:
    for call, statement in function.file.index.calls("__init__"):
        place = Place(function.file, call, statement)
        if place.scope is not function.scope:
            continue
        is_given = not _is_super(call)
        target = _next(ev, order, place) if is_given else _behind(order, function.scope.outer)
        if target is not None and target.scope is not function.scope:
            yield _Continued(place, target, is_given)


def _is_super(call: ast.Call) -> bool:
    match call.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
            return True
        case _:
            return False


def _behind(order: Sequence[Class], scope: Scope | None) -> Function | None:
    """Return the constructor that `super()` finds in a class."""
    position = next((i for i, one in enumerate(order) if one.scope is scope), len(order))
    own = (_own(one) for one in order[position + 1 :])
    return next((one for one in own if one is not None), None)


def _own(kind: Class) -> Function | None:
    bindings = kind.scope.bindings.get("__init__", ())
    scopes = (one.scope for one in bindings if one.kind == "function" and one.scope is not None)
    return next((Function(kind.file, scope) for scope in scopes), None)


def _next(ev: Evaluator, order: Sequence[Class], place: Place) -> Function | None:
    """Return the constructor that `Base.__init__(self, …)` calls."""
    call = place.expression
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    named = (one.value for one in ev.evaluate(place.at(call.func.value)))
    return next((method_of(ev, one, "__init__") for one in named if isinstance(one, Class) and one in order), None)
