"""Whether a clock is read near a place: its time is right only after a wait for the GPU.

A wait in a function is near what its callers do next.

A clock is read by `time.time()`, by a call with a name like that, `meter.tic()`, by the timers of other packages, and
at the end of a timer's block.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import method_of
from torchlint.model.place import Place
from torchlint.model.training.throttle_tests import is_periodic
from torchlint.model.training.throttles import is_thinned
from torchlint.model.values.frames import frame_into
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Function, Imported, Instance
from torchlint.pytorch.backward import TRAINING_STEP
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

CLOCKS = frozenset({
    "time.time", "time.perf_counter", "time.monotonic", "time.time_ns", "time.perf_counter_ns", "time.monotonic_ns",
    "timeit.default_timer", "datetime.datetime.now",
})  # fmt: skip
_CLOCK = re.compile(r"\b(time|perf_counter|monotonic|process_time|elapsed_time)\(")
# Of fvcore, ignite, mmengine, codetiming: their methods read a clock, and so does making one that starts at once.
_TIMER = "Timer"
_SCHEDULER = re.compile("sched|lr")


def is_beside_clock(ev: Evaluator, place: Place) -> bool:
    """Tell whether a clock is read right before, or further down in the block before any more is computed."""
    for block, position in place.file.index.blocks_around(place.statement):
        before = block.body[max(position - 1, 0) : position]
        behind = _up_to_next_step(place.file, block.body[position + 1 :])
        if any(_reads_a_clock(ev, place, statement) for statement in (*before, block.body[position])):
            return True
        if any(
            _reads_a_clock(ev, place, statement) or _is_timed_iteration(ev, place, statement) for statement in behind
        ):
            return True
        if isinstance(block.owner, (ast.With, ast.AsyncWith)):
            return _trains_no_more(place.file, block.body[position + 1 :]) and _is_timed(ev, place, block.owner)
        if block.owner is block.scope.node and block.scope.kind == "function":
            return _trains_no_more(place.file, block.body[position + 1 :]) and _is_called_beside_clock(ev, place)
        # What is near the `if` of `if sync: torch.cuda.synchronize()` is near the call.
        if not isinstance(block.owner, ast.If):
            return False
    return False


def _is_called_beside_clock(ev: Evaluator, place: Place) -> bool:
    """Tell whether the call that leads to a function is near a clock, or all known calls are."""
    frame = frame_into(place, place.scope)
    if frame is not None and frame.call is not None:
        return is_beside_clock(ev, frame.call)
    return _is_always_called_beside_clock(ev, Function(place.file, place.scope))


@tabled(False)
def _is_always_called_beside_clock(ev: Evaluator, function: Function) -> bool:
    calls = [caller.place for caller in ev.callers(function)]
    # A function without callers is for others, and says less about the program than what runs.
    running = [call for call in calls if call.scope.kind == "file" or ev.callers(Function(call.file, call.scope))]
    return bool(calls) and all(is_beside_clock(ev, call) for call in running or calls)


def _reads_a_clock(ev: Evaluator, beside: Place, statement: ast.stmt) -> bool:
    if hasattr(statement, "body"):
        return False
    calls = (node for node in walk(statement) if isinstance(node, ast.Call))
    return any(_is_of_clock(ev, Place(beside.file, call, statement, beside.frame)) for call in calls)


def _is_of_clock(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call reads a clock, itself or in a callee, and not only every N steps."""
    if _CLOCK.search(written(call.expression)) or _is_clock(call) or _is_of_timer(ev, call):
        return True
    return any(_asks_a_clock(ev, function) for function in callees_of(ev, call))


def _is_clock(call: Place) -> bool:
    assert isinstance(call.expression, ast.Call)
    return not call.at(call.expression.func).names.isdisjoint(CLOCKS)


def _is_of_timer(ev: Evaluator, call: Place) -> bool:
    """Tell whether a call makes a timer of another package, or is of a method of one."""
    assert isinstance(call.expression, ast.Call)
    function = call.expression.func
    asked = [*ev.evaluate(call.at(function))]
    if isinstance(function, ast.Attribute):
        asked += [one for one in ev.evaluate(call.at(function.value)) if isinstance(one.value, Built)]
    return any(isinstance(one.value, (Built, Imported)) and one.value.name.endswith(_TIMER) for one in asked)


@tabled(False)
def _asks_a_clock(ev: Evaluator, function: Function) -> bool:
    calls = [Place(function.file, call, at) for call, at in function.file.calls_in_scope(function.scope)]
    # A function that trains as well has more to do with the clock than to read it right here.
    if any(_is_step(call.expression) for call in calls):
        return False
    return any(_is_of_clock(ev, call) and not is_thinned(ev, call) for call in calls)


def _is_timed(ev: Evaluator, beside: Place, block: ast.With | ast.AsyncWith) -> bool:
    """Tell whether the end of a `with` block reads a clock: it enters a timer, of the project or of another package."""
    for item in block.items:
        entered = Place(beside.file, item.context_expr, block, beside.frame)
        if isinstance(entered.expression, ast.Call) and _is_of_clock(ev, entered):
            return True
        kinds = (one.value.kind for one in ev.evaluate(entered) if isinstance(one.value, Instance))
        leaving = (method_of(ev, kind, "__exit__") for kind in kinds)
        if any(method is not None and _asks_a_clock(ev, method) for method in leaving):
            return True
    return False


def _is_timed_iteration(ev: Evaluator, place: Place, statement: ast.stmt) -> bool:
    """Tell whether most iterations read a clock in a branch: `if i >= warmup: elapsed += time.time() - start`."""
    if not isinstance(statement, ast.If) or not any(_reads_a_clock(ev, place, one) for one in statement.body):
        return False
    return not is_periodic(ev, Place(place.file, statement.test, statement, place.frame), True)


def _up_to_next_step(file: ParsedFile, statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements up to the first that trains: for what is computed then, there was no wait."""
    lines = [call.lineno for name in TRAINING_STEP for call, _ in file.index.calls(name) if _is_step(call)]
    for statement in statements:
        if any(statement.lineno <= line <= (statement.end_lineno or 0) for line in lines):
            return
        yield statement


def _trains_no_more(file: ParsedFile, statements: Sequence[ast.stmt]) -> bool:
    return len(list(_up_to_next_step(file, statements))) == len(statements)


def _is_step(call: ast.expr) -> bool:
    if not isinstance(call, ast.Call) or callee_name(call) not in TRAINING_STEP:
        return False
    return not _SCHEDULER.search(written(call.func).lower())
