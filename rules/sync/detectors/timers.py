"""Timers that a project writes itself: two methods that read a clock, or a context manager around a block."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function, Generated, Instance
from torchlint.syntax.walk import written

from .clock_readings import clock_reading, differences

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_SINCE = "- self."
_CLOCKS = ("time", "perf_counter", "monotonic", "default_timer", "now", "time_ns", "perf_counter_ns", "monotonic_ns")


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a function reads a clock to subtract an earlier reading from it, held by an attribute or a local name."""

    function: Function
    reading: Place
    since: Place


_NO_STOP: Stop | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """The code between two places of one function, and the timer, if any, that reads the clock at the second one."""

    start: Place
    stop: Place
    lines: range
    timer: Stop | None = None


def timed_calls(ev: Evaluator, file: ParsedFile) -> Iterator[Stretch]:
    """Yield what a file times with a timer of the project."""
    for name in sorted(ev.project.once(stopping_names) & file.index.called_names()):
        for call, statement in file.index.calls(name):
            yield from _between_calls(ev, Place(file, call, statement))
    blocks: list[ast.With | ast.AsyncWith] = [*file.index.statements(ast.With), *file.index.statements(ast.AsyncWith)]
    for block in blocks:
        for item in block.items:
            yield from _around_block(ev, Place(file, item.context_expr, block), block)


def stopping_names(ev: Evaluator) -> frozenset[str]:
    """Return the names of the project's methods that subtract an attribute from a time."""
    library = ev.project.library
    paths = library.holding(_SINCE)
    found: set[str] = set()
    for path in sorted({path for clock in _CLOCKS for path in library.holding(f"{clock}()") if path in paths}):
        if (file := ev.project.parsed(path)) is not None:
            found.update(_stopping_names_in(file))
    return frozenset(found)


def _stopping_names_in(file: ParsedFile) -> Iterator[str]:
    for node, statement in file.index.expressions(ast.BinOp):
        match node:
            case ast.BinOp(op=ast.Sub(), right=ast.Attribute(value=ast.Name(id="self"))):
                yield file.index.home[statement][0].scope.name


def _between_calls(ev: Evaluator, stop: Place) -> Iterator[Stretch]:
    """Yield the code up to a call that stops a timer, from the last call on the same object that starts it."""
    assert isinstance(stop.expression, ast.Call)
    if not isinstance(stop.expression.func, ast.Attribute):
        return
    timer = _only_stop(ev, stop)
    if timer is None:
        return
    attribute = written(timer.since.expression)
    for start in _earlier_calls(stop, written(stop.expression.func.value)):
        if any(starts(ev, function, attribute) for function in ev.callees(start)):
            yield Stretch(start, stop, range(start.line + 1, stop.line), timer)
            return


def _earlier_calls(stop: Place, owner: str) -> Iterator[Place]:
    """Yield the calls of methods of something in a function before a place, the last one first."""
    for call, statement in reversed(stop.file.calls_in_scope(stop.scope)):
        if isinstance(call.func, ast.Attribute) and call.lineno < stop.line and written(call.func.value) == owner:
            yield Place(stop.file, call, statement)


def _only_stop(ev: Evaluator, call: Place) -> Stop | None:
    assert isinstance(call.expression, ast.Call)
    possible = ev.evaluate(call.at(call.expression.func))
    stops = [stop_in(ev, function) for function in ev.callees(call)]
    return stops[0] if len(stops) == len(possible) == 1 else None


@tabled(_NO_STOP)
def stop_in(ev: Evaluator, function: Function) -> Stop | None:
    """Return where a method reads the clock to subtract an attribute from it."""
    for difference in differences(ev, function.file, function.scope):
        if isinstance(difference.since.expression, ast.Attribute):
            return Stop(function, difference.reading, difference.since)
    return None


@tabled(False)
def starts(ev: Evaluator, function: Function, attribute: str) -> bool:
    """Tell whether a method stores a time in an attribute: `self.start = time.time()`."""
    for stored in function.file.assigned(attribute):
        if stored.value is not None and function.file.index.home[stored][0].scope is function.scope:
            return clock_reading(ev, Place(function.file, stored.value, stored)) is not None
    return False


def _around_block(ev: Evaluator, entered: Place, block: ast.With | ast.AsyncWith) -> Iterator[Stretch]:
    """Yield the block of a `with` statement whose context manager reads the clock before and after it."""
    possible = ev.evaluate(entered)
    timers = [_timer_of(ev, one.value) for one in possible]
    if len(timers) == 1 and (timer := timers[0]) is not None:
        yield Stretch(entered, entered, range(block.body[0].lineno, (block.end_lineno or 0) + 1), timer)


def _timer_of(ev: Evaluator, manager: object) -> Stop | None:
    match manager:
        case Instance(kind=kind):
            leave = method_of(ev, kind, "__exit__")
            stop = stop_in(ev, Function(leave.file, leave.scope)) if leave is not None else None
            begin = [one for name in ("__enter__", "__init__") if (one := method_of(ev, kind, name)) is not None]
            is_timer = stop is not None and any(
                starts(ev, Function(one.file, one.scope), written(stop.since.expression)) for one in begin
            )
            return stop if is_timer else None
        case Generated(function=function):
            return stop_around_yield(ev, Function(function.file, function.scope))
        case _:
            return None


@tabled(_NO_STOP)
def stop_around_yield(ev: Evaluator, function: Function) -> Stop | None:
    """Return where a generator reads the clock after its only `yield`, to subtract a reading from before it."""
    if len(function.scope.yields) != 1:
        return None
    line = function.scope.yields[0][1].lineno
    for difference in differences(ev, function.file, function.scope):
        start = clock_reading(ev, difference.since)
        if start is not None and start.line < line < difference.reading.line:
            return Stop(function, difference.reading, difference.since)
    return None
