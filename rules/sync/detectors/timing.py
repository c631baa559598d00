"""Clocks that are read before the GPU is done with what they time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.handed_on import comes_by_import, is_handed_on
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Imported
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import LoopNode
from torchlint.syntax.reaching_definitions import reaching

from .clocks import CLOCKS
from .queued import Effect, Known, effect_of, reads_in, waits_for

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class Timing:
    """A stretch of a function between two readings of the clock, and the last work in it that is only queued."""

    start: Place
    stop: Place
    work: Place


def unsynchronized_timings(ev: Evaluator, file: ParsedFile) -> Iterator[Timing]:
    """Yield the stretches that end with work for the GPU that nobody has waited for."""
    found: set[tuple[object, ...]] = set()
    for node, statement in file.index.expressions(ast.BinOp):
        if not isinstance(node.op, ast.Sub):
            continue
        difference = Place(file, node, statement)
        stop, start = _clock(ev, difference.at(node.left)), _clock(ev, difference.at(node.right))
        if stop is None or start is None or start.line >= stop.line or stop.key in found:
            continue
        if (work := _unfinished(ev, start, stop)) is not None:
            found.add(stop.key)
            yield Timing(start, stop, work)


def _clock(ev: Evaluator, place: Place) -> Place | None:
    """Return the reading of the clock that an expression is, or that the name holds which it is."""
    match place.expression:
        case ast.Call(func=function):
            callee = place.at(function)
            is_asked = comes_by_import(callee) or ev.project.once(hands_on_clocks)
            callees = ev.evaluate(callee) if is_asked else ()
            is_clock = any(isinstance(one.value, Imported) and one.value.name in CLOCKS for one in callees)
            return place if is_clock else None
        case ast.Name(id=name):
            bindings = place.scope.bindings.get(name, ())
            reached = reaching(place.file.index, bindings, place.statement, ev.decide(place)).definitions
            values = [
                Place(place.file, one.value, one.statement)
                for one in reached
                if one.value is not None and one.kind == "assign" and not one.selector
            ]
            if len(values) != len(reached) or not all(isinstance(one.expression, ast.Call) for one in values):
                return None
            # A clock that is read anew in every round counts the rounds, and with them what each waits for.
            return _clock(ev, values[0]) if len(values) == 1 else None
        case _:
            return None


def hands_on_clocks(ev: Evaluator) -> bool:
    """Tell whether a project takes a clock, or the package that has it, for a value."""
    return is_handed_on(ev, *CLOCKS)


def _unfinished(ev: Evaluator, start: Place, stop: Place) -> Place | None:
    """Return the last work between two places if nothing waits for it, or None: also where that is not known."""
    effects: list[tuple[Place, Effect]] = []
    for place, effect in _between(ev, start, stop):
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
    if _is_little_beside_rounds(ev, works, [place for place, _ in stalls], start):
        return None
    # Where every round of a loop is timed and waits somewhere, one round's rest is counted with the next.
    return None if stalls and _share_loop(start, stop) else last


def _between(ev: Evaluator, start: Place, stop: Place) -> Iterator[tuple[Place, Effect]]:
    file = start.file
    known: Known = {}
    for call, statement in file.calls_in_scope(start.scope):
        place = Place(file, call, statement)
        if start.line < place.line < stop.line:
            yield place, effect_of(ev, place, known)
    for place in reads_in(file, start.scope):
        if start.line < place.line < stop.line and waits_for(ev, place):
            yield place, Effect.WAITS


def _is_later(place: Place, work: Place, effect: Effect) -> bool:
    return effect is Effect.WAITS and place.line >= work.line


def _is_little_beside_rounds(ev: Evaluator, works: list[Place], stalls: list[Place], start: Place) -> bool:
    """Tell whether rounds of a model that are waited for are timed, and behind them no more than `torch.cat(rows)`."""
    rounds = [work for work in works if any(_is_repeated(stall, work, start) for stall in stalls)]
    rest = [work for work in works if rounds and work.line > rounds[-1].line]
    is_little = all(_is_of_torch(ev, work) and not any(_loops_since(start, work)) for work in rest)
    return is_little and any(not _is_of_torch(ev, work) for work in rounds)


def _is_of_torch(ev: Evaluator, work: Place) -> bool:
    """Tell whether a call is one operation of PyTorch, and no module, function or `backward()`."""
    assert isinstance(work.expression, ast.Call)
    return any(isinstance(one.value, Imported) for one in ev.evaluate(work.at(work.expression.func)))


def _is_repeated(place: Place, work: Place, start: Place) -> bool:
    """Tell whether a loop between the clocks goes through both: all but the last of its work is waited for."""
    loops = set(_loops_since(start, work))
    return any(loop in loops for loop in loops_around(place))


def _loops_since(start: Place, place: Place) -> Iterator[LoopNode]:
    return (loop for loop in loops_around(place) if loop.lineno > start.line)


def _share_loop(start: Place, stop: Place) -> bool:
    return not set(loops_around(start)).isdisjoint(loops_around(stop))
