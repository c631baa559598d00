"""The calls by which the constructors of a class and its bases run for an object.

`Sub(3)` runs `Base.__init__` with what `super().__init__(width, **kwargs)` passes in the constructor of `Sub`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Frame, Function, Instance, Possibility
from torchlint.syntax.scope import Scope, Store
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Of an object that was made within more calls, the frames are dropped.
_MOST_FRAMES = 4
_MOST_BASES = 12
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
    order = _order(ev, owner.value.kind)
    found = list(_leading(ev, order, first, Frame(first.scope, owner.origin, owner), method))
    return found[0] if len(found) == 1 else Frame(method, None, owner)


def _order(ev: Evaluator, kind: Class) -> list[Class]:
    """Return the classes of the project in `super()` order: bases after all their subclasses."""
    classes = [one for one in family(ev, kind) if isinstance(one, Class)]
    return list(dict.fromkeys(reversed(classes)))[::-1]


def _leading(
    ev: Evaluator, order: Sequence[Class], function: Function, frame: Frame, method: Scope, depth: int = 0
) -> Iterator[Frame]:
    """Yield the frames of a base's constructor that a constructor running in a frame leads to."""
    for call, statement in function.file.index.calls("__init__"):
        place = Place(function.file, call, statement, frame)
        if place.scope is not function.scope:
            continue
        is_given = not _is_super(call)
        target = _next(ev, order, place) if is_given else _behind(order, function.scope.outer)
        if target is None or target.scope is function.scope:
            continue
        inner = Frame(target.scope, place, frame.receiver, is_given=is_given, goes_on=True)
        if target.scope is method:
            yield inner
        elif depth < _MOST_BASES:
            yield from _leading(ev, order, target, inner, method, depth + 1)


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
