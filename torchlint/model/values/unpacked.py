"""What a call passes for a parameter by `*args` and `**kwargs`, and what these leave to its default.

`super().__init__(width, **kwargs)` leaves a flag to its default if no caller of that constructor passes it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.finding import Step
from torchlint.model.call_graph.building import callers_for, is_ever_built
from torchlint.model.containers.collected_keywords import collected, is_only_collected
from torchlint.model.containers.items import item
from torchlint.model.containers.refilling import put_under
from torchlint.model.place import Caller, Place
from torchlint.model.values.frames import frame_into
from torchlint.model.values.joins import either
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    UNKNOWN,
    Class,
    Display,
    Frame,
    Function,
    Literal,
    Possibility,
    Tuple,
    ValueSet,
)
from torchlint.syntax.closure import closure
from torchlint.syntax.last_names import last_name
from torchlint.syntax.scope import Parameter

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_MOST_CALLERS = 100
_Default: TypeAlias = Callable[[], ValueSet]
_Passed: TypeAlias = tuple[ValueSet, bool]
"""What is passed, and whether it may be left to the default."""
_NOBODY: _Passed = ((), False)
_Collecting: TypeAlias = "tuple[Function, Frame | None]"
"""A function, in a frame, that collects keywords in its `**kwargs`."""


@dataclass(frozen=True, slots=True)
class _Collected:
    """What the calls of one function pass by a name in its `**kwargs`."""

    possible: ValueSet = ()
    is_left: bool = False
    """Whether some of them may leave it to the default."""
    further: tuple[_Collecting, ...] = ()
    """The functions that pass on what they collected themselves."""


def unpacked(ev: Evaluator, caller: Caller, parameter: Parameter, default: _Default) -> ValueSet | None:
    """Return what unpacked arguments pass for a parameter: None if unknown, bottom if no caller is known."""
    call = caller.place.expression
    if not isinstance(call, ast.Call):
        return None
    step = caller.place.step(f"passed for `{parameter.name}` here")
    spread, is_left = _by_position(ev, caller, call, parameter)
    if parameter.star:
        return spread or collected(caller, parameter) or None
    named: ValueSet | None = ()
    if is_left or not spread:
        named = _by_name(ev, caller, call, parameter.name, default if is_left and _is_whole(caller, call) else None)
    if named is None and not spread:
        return None
    return with_step(either(spread, UNKNOWN if named is None else named), step)


def with_step(possible: ValueSet, step: Step) -> ValueSet:
    """Return the possibilities with a step added to their stories; a constant has none."""
    return tuple(one if isinstance(one.value, Literal) else one.with_step(step) for one in possible)


def _by_position(ev: Evaluator, caller: Caller, call: ast.Call, parameter: Parameter) -> tuple[ValueSet, bool]:
    """Return what `*what` passes for a parameter, and whether it may leave the parameter to others."""
    before = len(caller.positional)
    starred = call.args[before] if len(call.args) > before else None
    first = (parameter.position if parameter.position is not None else -1) - caller.bound - before
    if not isinstance(starred, ast.Starred) or first < 0:
        return (), not isinstance(starred, ast.Starred) or parameter.position is None
    spread = ev.evaluate(caller.place.at(starred.value))
    if parameter.star:
        rests = [one.value.items[first:] if isinstance(one.value, Tuple) else (UNKNOWN,) for one in spread]
        is_known = any(isinstance(one.value, Tuple) for one in spread)
        return tuple(Possibility(Tuple(rest)) for rest in rests) if is_known else (), False
    if not any(isinstance(one.value, (Tuple, Display)) for one in spread):
        return (), False
    reaching = [one for one in spread if not isinstance(one.value, Tuple) or first < len(one.value.items)]
    is_shown = any(isinstance(one.value, Display) for one in spread)
    put = put_under(ev, caller.place.at(starred.value), first) if is_shown else ()
    return either(*(_at(ev, one, first) for one in reaching), put), len(reaching) < len(spread)


def _at(ev: Evaluator, sequence: Possibility, position: int) -> ValueSet:
    """Return the item of an unpacked sequence at a position."""
    match sequence.value:
        case Tuple(items=items):
            return items[position]
        case Display():
            return item(ev, sequence, position) or UNKNOWN
        case _:
            return UNKNOWN


def _is_whole(caller: Caller, call: ast.Call) -> bool:
    """Tell whether a call passes all arguments of its function: it captures none for a later call."""
    star = next((i for i, one in enumerate(call.args) if isinstance(one, ast.Starred)), None)
    # `Base.__init__(self, width)` passes the object itself.
    first = 1 if last_name(call.func) == "__init__" and len(caller.positional) < len(call.args[:star]) else 0
    names = {word.arg for word in call.keywords if word.arg is not None}
    is_own = caller.positional == tuple(call.args[first:star]) and caller.keywords.keys() == names
    return is_own and caller.is_complete and caller.fixed is None


def _by_name(ev: Evaluator, caller: Caller, call: ast.Call, name: str, default: _Default | None) -> ValueSet | None:
    """Return what `**what` passes by a name, if it is a known dict, or the default if it lacks the key."""
    mappings = _mappings(caller, call)
    if default is None:
        return _in_dicts(ev, mappings, name)
    if not mappings:
        return default()
    if (function := _passed_on(ev, mappings)) is None:
        return _in_dicts(ev, mappings, name)
    found, is_left = _collected_under(ev, *function, name)
    return either(found, default()) if is_left else found


def _mappings(caller: Caller, call: ast.Call) -> list[Place]:
    return [caller.place.at(word.value) for word in call.keywords if word.arg is None]


def _in_dicts(ev: Evaluator, mappings: list[Place], name: str) -> ValueSet | None:
    """Return what dicts that are unpacked hold under a name; None if unknown."""
    possible = (one for mapping in mappings for one in ev.evaluate(mapping))
    made = [item(ev, one, name) for one in possible if isinstance(one.value, Display)]
    put = [put_under(ev, mapping, name) for mapping in mappings] if made else []
    return either(*made, *put) or None


def _passed_on(ev: Evaluator, mappings: list[Place]) -> _Collecting | None:
    """Return the function whose own `**kwargs` are all that a call unpacks."""
    if len(mappings) != 1 or not is_only_collected(ev, mappings[0]):
        return None
    scope = mappings[0].scope
    return Function(mappings[0].file, scope), frame_into(mappings[0], scope)


@tabled(_NOBODY)
def _collected_under(ev: Evaluator, function: Function, frame: Frame | None, name: str) -> _Passed:
    """Return what a function collects by a name in its `**kwargs`, through any number of functions that pass them on.

    A constructor may pass to a base what a subclass passed to it. What any of these functions is called with
    may arrive: that is a sum over all that are reached, whose order, length and cycles make no difference.
    """
    passing = closure((function, frame), lambda one: _collected_here(ev, *one, name).further)
    found = [_collected_here(ev, *one, name) for one in passing]
    return either(*(one.possible for one in found)), any(one.is_left for one in found)


@tabled(_Collected())
def _collected_here(ev: Evaluator, function: Function, frame: Frame | None, name: str) -> _Collected:
    """Return what the callers of a function pass by a name that it collects in its `**kwargs`."""
    if frame is not None and frame.call is not None:
        callers: tuple[Caller, ...] = (Caller.of_frame(frame, frame.call),)
    else:
        callers = callers_for(ev, function, frame.receiver if frame is not None else None)
    if not callers or len(callers) > _MOST_CALLERS:
        return _Collected() if _is_of_no_object(ev, function) else _Collected(UNKNOWN)
    found = [_named(ev, one, name) for one in callers]
    further = tuple(dict.fromkeys(function for one in found for function in one.further))
    return _Collected(either(*(one.possible for one in found)), any(one.is_left for one in found), further)


def _named(ev: Evaluator, caller: Caller, name: str) -> _Collected:
    """Return what one caller passes by a name."""
    call = caller.place.expression
    if name in caller.keywords:
        return _Collected(ev.evaluate(caller.place.at(caller.keywords[name])))
    if not isinstance(call, ast.Call) or not _is_whole(caller, call):
        return _Collected(UNKNOWN)
    mappings = _mappings(caller, call)
    if not mappings:
        return _Collected(is_left=True)
    if (function := _passed_on(ev, mappings)) is not None:
        return _Collected(further=(function,))
    return _Collected(_in_dicts(ev, mappings, name) or UNKNOWN)


def _is_of_no_object(ev: Evaluator, function: Function) -> bool:
    """Tell whether it is a constructor without known callers, for its class or a subclass."""
    kind = function.scope.outer
    if function.scope.name != "__init__" or kind is None or kind.kind != "class":
        return False
    return not is_ever_built(ev, Class(function.file, kind))
