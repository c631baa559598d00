"""Clocks that are read before the GPU is done with what they time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.place import Place
from torchlint.model.values.value_sets import Imported
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import LoopNode

from .clock_readings import clock_reading, differences
from .implicit_effects import operations_in, queues, reads_in, waits_for
from .queued import Effect, effect_of
from .timers import Stop, Stretch, timed_calls
from .waiting import is_on_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class Timing:
    """A part of a function between two readings of the clock, and the last work in it that is only queued.

    `timer` is where a timer reads the clock, if the part ends with a call of one, or with its block.
    """

    start: Place
    stop: Place
    work: Place
    timer: Place | None = None


def unsynchronized_timings(ev: Evaluator, file: ParsedFile) -> Iterator[Timing]:
    """Yield the parts that end with work for the GPU without a wait."""
    found: set[tuple[object, ...]] = set()
    for stretch in (*_between_readings(ev, file), *timed_calls(ev, file)):
        timer = stretch.timer
        if stretch.stop.key in found or (timer is not None and _may_wait(ev, timer)):
            continue
        if (work := _unfinished(ev, stretch)) is not None:
            found.add(stretch.stop.key)
            yield Timing(stretch.start, stretch.stop, work, timer.reading if timer is not None else None)


def _between_readings(ev: Evaluator, file: ParsedFile) -> Iterator[Stretch]:
    for difference in differences(ev, file):
        stop, start = difference.reading, clock_reading(ev, difference.since)
        if start is not None and start.line < stop.line:
            yield Stretch(start, stop, range(start.line + 1, stop.line))


def _may_wait(ev: Evaluator, timer: Stop) -> bool:
    """Tell whether a timer may wait for the GPU, in what it does up to its reading of the clock."""
    function = timer.function
    before = _effects(ev, function.file, function.scope, range(timer.reading.line))
    return any(effect in {Effect.WAITS, Effect.UNKNOWN} for _, effect in before)


def _unfinished(ev: Evaluator, stretch: Stretch) -> Place | None:
    """Return the last work of a part if nothing waits for it, or None: also if that is unknown."""
    start = stretch.start
    effects: list[tuple[Place, Effect]] = []
    for place, effect in _effects(ev, start.file, start.scope, stretch.lines):
        if effect is Effect.UNKNOWN:
            return None
        effects.append((place, effect))
    effects.sort(key=lambda pair: (pair[0].line, pair[0].expression.col_offset))
    works = [place for place, effect in effects if effect is Effect.WORKS]
    if not works:
        return None
    last = works[-1]
    stalls = [(place, effect) for place, effect in effects if effect in {Effect.WAITS, Effect.UPLOADS}]
    if any(_is_repeated(place, last, start) or _is_later(place, last, effect) for place, effect in stalls):
        return None
    if _is_little_after_iterations(ev, works, [place for place, _ in stalls], start):
        return None
    # If every iteration of a loop is timed and waits somewhere, the rest of one is counted with the next.
    return None if stalls and _share_loop(start, stretch.stop) else last


def _effects(ev: Evaluator, file: ParsedFile, scope: Scope, lines: range) -> Iterator[tuple[Place, Effect]]:
    """Yield the effects on the queue of the GPU of some lines of a function."""
    for call, statement in file.calls_in_scope(scope):
        if call.lineno in lines:
            place = Place(file, call, statement)
            yield place, effect_of(ev, place)
    for place in operations_in(file, scope):
        if place.line in lines and queues(ev, place):
            yield place, Effect.WORKS
    for place in reads_in(file, scope):
        if place.line in lines and waits_for(ev, place):
            yield place, Effect.WAITS


def _is_later(place: Place, work: Place, effect: Effect) -> bool:
    return effect is Effect.WAITS and place.line >= work.line


def _is_little_after_iterations(ev: Evaluator, works: list[Place], stalls: list[Place], start: Place) -> bool:
    """Tell whether iterations of a model with a wait are timed, and after them no more than `torch.cat(rows)`."""
    iterations = [work for work in works if any(_is_repeated(stall, work, start) for stall in stalls)]
    rest = [work for work in works if iterations and work.line > iterations[-1].line]
    is_little = all(_is_of_torch(ev, work) and not any(_loops_since(start, work)) for work in rest)
    return is_little and any(not _is_of_torch(ev, work) for work in iterations)


def _is_of_torch(ev: Evaluator, work: Place) -> bool:
    """Tell whether work is one operation of PyTorch, and no module, function or `backward()`."""
    match work.expression:
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) if is_on_device(ev.evaluate(work.at(owner))):
            return name != "backward"
        case ast.Call(func=function):
            return any(isinstance(one.value, Imported) for one in ev.evaluate(work.at(function)))
        case _:
            return True


def _is_repeated(place: Place, work: Place, start: Place) -> bool:
    """Tell whether a loop between the clocks contains both: all but the last of its work is waited for."""
    loops = set(_loops_since(start, work))
    return any(loop in loops for loop in loops_around(place))


def _loops_since(start: Place, place: Place) -> Iterator[LoopNode]:
    return (loop for loop in loops_around(place) if loop.lineno > start.line)


def _share_loop(start: Place, stop: Place) -> bool:
    return not set(loops_around(start)).isdisjoint(loops_around(stop))
