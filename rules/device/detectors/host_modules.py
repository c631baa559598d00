"""Methods of modules that every caller keeps on the host: `Net().to("cpu").export()`.

The code that makes a module may move it, so a method's own module counts as moved. If each object of the class that the
project makes reaches the method by known calls, and is on the host before all of them, it is never moved. One without
parameters and buffers is on no device.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from torchlint.inference.limits import FAR
from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.call_graph.mentions import Mention, mentions
from torchlint.model.devices.home_only import stays_at_home
from torchlint.model.devices.operands import is_on_the_device
from torchlint.model.modules.held import own_receiver, receiver_of
from torchlint.model.modules.registered import has_parameters
from torchlint.model.place import Caller, Place
from torchlint.model.values.value_sets import HOST, Class, Frame, Function, Instance, Unknown
from torchlint.syntax.around import class_around, function_around, parent_of
from torchlint.syntax.walk import written

from .moved_owners import calls_of
from .programs_at_home import is_of_program

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Scope

_MOST_WAYS = 20


def stays_on_host(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place is in a method of modules that are on the host in every call context."""
    function = function_around(place)
    kind = _module_of(ev, place, function) if function is not None else None
    if function is None or kind is None:
        return False
    if stays_at_home(kind):
        return True
    ways = _ways(ev, Function(place.file, function), frozenset())
    return bool(ways) and all(_is_on_host(ev, way) for way in ways)


def has_only_unmoved_inputs(ev: Evaluator, place: Place) -> bool:
    """Tell whether a place is in a module with nothing to move, whose known inputs are never moved.

    The inputs of a module with parameters have to be on the device of these. A transform of images or a decoder has
    none: it runs wherever its arguments are.
    """
    kind = class_around(place)
    if kind is None or not is_module(ev, own := Instance(Class(place.file, kind))) or has_parameters(ev, own):
        return False
    forward = method_of(ev, own.kind, "forward")
    callers = object_callers_of(ev, forward) if forward is not None else ()
    return not any(is_on_the_device(ev, one) for caller in callers for one in _passed_by(caller))


def _passed_by(caller: Caller) -> Iterator[Place]:
    if isinstance(call := caller.place.expression, ast.Call):
        yield from (caller.place.at(one) for one in (*call.args, *(word.value for word in call.keywords)))


def _module_of(ev: Evaluator, place: Place, function: Scope) -> Class | None:
    """Return the class of modules that a function is a method of."""
    outer = function.outer if function.is_method and function.parameters else None
    kind = Class(place.file, outer) if outer is not None else None
    return kind if kind is not None and is_module(ev, Instance(kind)) else None


def _is_on_host(ev: Evaluator, way: Frame) -> bool:
    receiver = receiver_of(way)
    where = ev.residence(receiver) if receiver is not None else None
    return receiver is not None and (where == HOST or (where is None and is_of_program(ev, receiver)))


def _ways(ev: Evaluator, method: Function, seen: frozenset[Scope]) -> tuple[Frame, ...]:
    """Return the calls by which objects reach a method; none if one may reach it by an unknown call."""
    if method.scope in seen or len(seen) >= FAR:
        return ()
    found: dict[Frame, None] = {}
    for call in calls_of(ev, method):
        outers = _outer_ways(ev, call, seen | {method.scope})
        found.update(dict.fromkeys(way for outer in outers for way in _entering(ev, method, call, outer)))
        if not outers or len(found) > _MOST_WAYS:
            return ()
    return tuple(found) if _are_all(ev, method, found) else ()


def _outer_ways(ev: Evaluator, call: Place, seen: frozenset[Scope]) -> tuple[Frame | None, ...]:
    """Return the contexts of a call: those of a module's own method, None for any other."""
    function = function_around(call)
    if function is None or _module_of(ev, call, function) is None:
        return (None,)
    return _ways(ev, Function(call.file, function), seen)


def _entering(ev: Evaluator, method: Function, call: Place, outer: Frame | None) -> Iterator[Frame]:
    """Yield the frames of a call, one for each possible receiver."""
    place = Place(call.file, call.expression, call.statement, outer)
    receiver = own_receiver(place, method.scope)
    for one in ev.evaluate(receiver) if receiver is not None else ():
        yield Frame(method.scope, place, one)


def _are_all(ev: Evaluator, method: Function, ways: Iterable[Frame]) -> bool:
    """Tell whether all objects of a method's class arrive by these calls, and the class is only called, in them."""
    assert method.scope.outer is not None
    kind = Class(method.file, method.scope.outer)
    made = {way.receiver.origin.key for way in ways if way.receiver is not None and way.receiver.origin is not None}
    return all(_is_seen(ev, one, kind, made) for one in mentions(ev, kind.scope.name))


def _is_seen(ev: Evaluator, one: Mention, kind: Class, made: Collection[object]) -> bool:
    """Tell whether a mention of a class neither lets it escape nor makes unknown objects."""
    if one.is_only_asked_about or one.is_imported:
        return True
    if not isinstance(one.node, (ast.Name, ast.Attribute)):
        return False
    place = Place(one.file, one.node, one.statement)
    parent = parent_of(place)
    if isinstance(parent, ast.Call) and (place.at(parent).key in made or written(parent.func) == "super"):
        return True
    values = [found.value for found in ev.evaluate(place)]
    return not any(isinstance(value, Unknown) or value == kind for value in values)
