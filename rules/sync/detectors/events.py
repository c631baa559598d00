"""Events that cannot return the time between them: they do not record it, or are not completed at the call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Built, Imported, Possibility
from torchlint.pytorch.events import EVENTS
from torchlint.pytorch.streams import ORDERING
from torchlint.syntax.arguments import has_open_keywords, passed
from torchlint.syntax.walk import written

from .event_names import elements_named, names_of
from .implicit_effects import reads_in, waits_for
from .queued import Effect, effect_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_SLEEP = "time.sleep"


@dataclass(frozen=True, slots=True)
class Unready:
    """A call of `elapsed_time` that raises."""

    place: Place
    event: Place
    """The event that is not ready, as an expression of the call."""
    because_of: Place
    """Where it is made, if it records no time; else where it is recorded, without a wait for it."""
    is_untimed: bool


def unready_events(ev: Evaluator, file: ParsedFile) -> Iterator[Unready]:
    """Yield the calls of `elapsed_time` in a file that come too early, or without recorded times."""
    for call, statement in file.index.calls("elapsed_time"):
        place = Place(file, call, statement)
        end = passed(call, "end_event", 0)
        if isinstance(call.func, ast.Attribute) and end is not None and is_reachable(ev, place):
            events = (place.at(call.func.value), place.at(end))
            if (found := _untimed(ev, place, events) or _too_early(ev, place, events)) is not None:
                yield found


def _untimed(ev: Evaluator, place: Place, events: tuple[Place, ...]) -> Unready | None:
    """Return the event of a call that is made without timing, by every possibility."""
    for event in events:
        possible = ev.evaluate(event)
        made = [one.origin for one in possible if one.origin is not None and _records_no_time(one)]
        if possible and len(made) == len(possible):
            return Unready(place, event, made[0], True)
    return None


def _records_no_time(one: Possibility) -> bool:
    call = one.origin.expression if one.origin is not None else None
    if not _is_event(one) or not isinstance(call, ast.Call) or has_open_keywords(call):
        return False
    timing = passed(call, "enable_timing", EVENTS[one.value.name] if isinstance(one.value, Built) else None)
    return timing is None or (isinstance(timing, ast.Constant) and not timing.value)


def _is_event(one: Possibility) -> bool:
    return isinstance(one.value, Built) and one.value.name in EVENTS


def _too_early(ev: Evaluator, place: Place, events: tuple[Place, ...]) -> Unready | None:
    """Return the later one of two events, if it is recorded in the same function without a wait for it."""
    start, end = events
    recorded = _last_recorded(place, elements_named(end))
    if recorded is None or not (_is_known(ev, end) or _is_known(ev, _recorded_event(recorded))):
        return None
    is_done = any(_may_wait(ev, one, events) for one in _calls_between(recorded, place))
    if is_done or any(_shows(ev, recorded, place)):
        return None
    return Unready(place, end, recorded, False) if start.code != end.code else None


def _is_known(ev: Evaluator, event: Place) -> bool:
    possible = ev.evaluate(event)
    return bool(possible) and all(map(_is_event, possible))


def _recorded_event(record: Place) -> Place:
    assert isinstance(record.expression, ast.Call)
    assert isinstance(record.expression.func, ast.Attribute)
    return record.at(record.expression.func.value)


def _last_recorded(place: Place, names: frozenset[str]) -> Place | None:
    """Return the last call above a place, in its function, that records an event by one of its names."""
    found = [
        record
        for call, statement in place.file.calls_in_scope(place.scope)
        if isinstance(call.func, ast.Attribute) and call.func.attr == "record" and call.lineno < place.line
        if not names_of((record := Place(place.file, call, statement)).at(call.func.value)).isdisjoint(names)
    ]
    return found[-1] if found else None


def _calls_between(recorded: Place, place: Place) -> Iterator[Place]:
    for call, statement in place.file.calls_in_scope(place.scope):
        # A call before this one in its own statement may run before it.
        if recorded.line < call.lineno <= place.line and call is not place.expression:
            yield Place(place.file, call, statement)


def _may_wait(ev: Evaluator, call: Place, events: tuple[Place, ...]) -> bool:
    """Tell whether a call may wait for the GPU, or queries an event: `while not end.query():`."""
    assert isinstance(call.expression, ast.Call)
    function = call.expression.func
    if isinstance(function, ast.Attribute):
        if function.attr in ORDERING:
            return False
        if function.attr != "record" and written(function.value) in {written(event.expression) for event in events}:
            return True
    if any(isinstance(one.value, Imported) and one.value.name == _SLEEP for one in ev.evaluate(call.at(function))):
        return True
    return effect_of(ev, call) in {Effect.WAITS, Effect.UPLOADS, Effect.UNKNOWN}


def _shows(ev: Evaluator, recorded: Place, place: Place) -> Iterator[bool]:
    """Yield whether what is shown or tested between two places is a tensor on the GPU."""
    for read in reads_in(place.file, place.scope):
        if recorded.line < read.line <= place.line:
            yield waits_for(ev, read)
