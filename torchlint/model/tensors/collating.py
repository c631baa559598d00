"""What the collate function of a DataLoader does with its samples: moves them, pins them, wraps them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.model.devices.literals import is_data_type
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Class,
    Display,
    Function,
    Imported,
    Instance,
    Possibility,
    ValueSet,
)
from torchlint.syntax.closure import closure
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def may_move(ev: Evaluator, collate: Place) -> bool:
    """Tell whether a collate function may move something, or make it on a device; an unknown one may."""
    made_of = [_calls(ev, one) for one in ev.evaluate(collate)]
    return any(calls is None or _moves(ev, calls) for calls in made_of)


def may_pin(ev: Evaluator, collate: Place) -> bool:
    """Tell whether a collate function may pin what it makes."""
    made_of = [_calls(ev, one) for one in ev.evaluate(collate)]
    return any(calls is None or any(_name(call) == "pin_memory" for call in calls) for calls in made_of)


def objects_made(ev: Evaluator, collate: Place) -> ValueSet:
    """Return the objects of the project's classes that a collate function wraps its samples in, if it always does."""
    functions = [one.value for one in ev.evaluate(collate)]
    made = [ev.returned(function, None) if isinstance(function, Function) else UNKNOWN for function in functions]
    return either(*made) if all(isinstance(one.value, Instance) for possible in made for one in possible) else ()


def methods_move(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a class may move something, or make it on a device."""
    return _moves(ev, _with_callees(ev, _calls_of(kind)))


def _calls(ev: Evaluator, one: Possibility) -> list[Place] | None:
    """Return the calls that a function or the methods of an object make, and their callees; None if it is unknown."""
    match one.value:
        case Function() as function:
            return _with_callees(ev, _calls_in(function))
        case Instance(kind=kind):
            return _with_callees(ev, _calls_of(kind))
        case Display(place=Place(expression=ast.Lambda(body=body)) as written):
            return _calls_of_lambda(ev, [written.at(node) for node in walk(body) if isinstance(node, ast.Call)])
        case Imported():
            return []
        case _:
            return None


def _calls_of_lambda(ev: Evaluator, calls: list[Place]) -> list[Place] | None:
    """Return the calls of a lambda, and those of the functions that it consists of; None if one is unknown."""
    callees = [one.value for place in calls for one in ev.evaluate(_callee(place))]
    is_known = all(isinstance(callee, (Function, Imported)) for callee in callees)
    return _with_callees(ev, calls) if is_known else None


def _with_callees(ev: Evaluator, calls: list[Place]) -> list[Place]:
    """Return calls, and those in the functions of the project that they run: `return on_device(torch.stack(xs))`."""
    reached: set[Function] = set()
    run = [
        function
        for place in calls
        for first in ev.callees(place)
        for function in closure(first, lambda one: _run_by(ev, one), reached)
    ]
    return [*calls, *(call for function in run for call in _calls_in(function))]


def _run_by(ev: Evaluator, function: Function) -> Iterator[Function]:
    return (callee for place in _calls_in(function) for callee in ev.callees(place))


def _calls_in(function: Function) -> list[Place]:
    return [Place(function.file, call, at) for call, at in function.file.calls_in_scope(function.scope)]


def _calls_of(kind: Class) -> list[Place]:
    methods = (Function(kind.file, scope) for scope in kind.file.index.scopes if scope.outer is kind.scope)
    return [call for method in methods for call in _calls_in(method)]


def _moves(ev: Evaluator, calls: Iterable[Place]) -> bool:
    for place in calls:
        match place.expression:
            case ast.Call(keywords=words) if any(word.arg == "device" for word in words):
                return True
            case ast.Call(func=ast.Attribute(attr="cuda")):
                return True
            case ast.Call(func=ast.Attribute(attr="to"), args=[target, *_]):
                kinds = ev.evaluate(place.at(target))
                if not kinds or not all(is_data_type(one) for one in kinds):
                    return True
    return False


def _callee(call: Place) -> Place:
    assert isinstance(call.expression, ast.Call)
    return call.at(call.expression.func)


def _name(call: Place) -> str:
    assert isinstance(call.expression, ast.Call)
    return callee_name(call.expression)
