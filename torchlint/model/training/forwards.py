"""What runs with every call of a module's `forward`, wherever the module is trained.

The body of `forward` itself is checked in any case. Its callees are only if no known loop trains the module: if the
project has that loop, it determines what runs at every step.
"""

from __future__ import annotations

import ast
from itertools import islice
from typing import TYPE_CHECKING

from torchlint.inference.limits import MOST_CALLERS
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.guards.along_paths import AlongPaths, PathContext
from torchlint.model.training.call_paths import frame_of
from torchlint.model.training.parameter_tests import lets_run
from torchlint.model.training.throttles import is_thinned
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Instance
from torchlint.model.worlds import ANYWHERE
from torchlint.syntax.around import class_around, function_around
from torchlint.syntax.dominating_conditions import Condition, Iteration
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torchlint.model.interface import Evaluator
    from torchlint.model.place import Place
    from torchlint.model.training.call_paths import Story
    from torchlint.model.training.what_trains import Training
    from torchlint.syntax.scope import Scope


_NO_STORY: Story | None = None


def every_step_or_forward(ev: Evaluator, training: Training, place: Place) -> Story | None:
    """Return why a place runs at every step, or whenever a `forward` does, or None if it does neither."""
    found = training.every_step(place)
    return found if found is not None else with_every_forward(ev.project.evaluator(ANYWHERE), training, place)


def with_every_forward(ev: Evaluator, training: Training, place: Place) -> Story | None:
    """Return the path from a `forward` to a place that runs whenever it does, or None if there is none."""
    if function_around(place) is None or is_thinned(ev, place):
        return None
    return () if _is_forward(ev, place) else _called_by_forward(ev, training, place)


@tabled(_NO_STORY)
def _called_by_forward(ev: Evaluator, training: Training, place: Place) -> Story | None:
    function = function_around(place)
    assert function is not None
    if _up_to_caller(ev, place.within(None)):
        return None
    for call in _calls_that_let_run(ev, place, function):
        story = None if _up_to_caller(ev, call.within(None)) else _through_untrained(ev, training, call)
        if story is not None:
            return (*story, call.step(f"`{function.qualified_name}` is called in every `forward` here"))
    return None


def _through_untrained(ev: Evaluator, training: Training, call: Place) -> Story | None:
    """Return the path to a call, unless it is in a `forward` that runs in a step: that path is reported as such."""
    if _is_forward(ev, call) and training.has_function(call.file, function_around(call)):
        return None
    return with_every_forward(ev, training, call)


def _calls_that_let_run(ev: Evaluator, place: Place, function: Scope) -> Iterator[Place]:
    for call in islice(_calls_of(ev, place, function), MOST_CALLERS):
        frames = [frame_of(call, callee) for callee in callees_of(ev, call) if callee.scope is function]
        if not frames or any(lets_run(ev, place, frame) for frame in frames):
            yield call


def _calls_of(ev: Evaluator, place: Place, function: Scope) -> Iterator[Place]:
    """Yield the calls of a function by its name, or of its class, but not where it is only passed."""
    kind = function.outer if function.name == "__init__" else None
    for caller in ev.callers(Function(place.file, function)):
        node = caller.place.expression
        if isinstance(node, ast.Call) and callee_name(node) in {function.name, kind.name if kind is not None else ""}:
            yield caller.place


def _is_forward(ev: Evaluator, place: Place) -> bool:
    function, kind = function_around(place), class_around(place)
    is_method = function is not None and function.name == "forward" and kind is not None
    return is_method and kind is not None and is_module(ev, Instance(Class(place.file, kind)))


def _is_up_to_caller(_: Evaluator, context: PathContext, guard: Condition | Iteration) -> tuple[bool, ...]:
    """Tell whether a parameter decides a test, and so its caller: `if sample:`, `if mode == "test":`."""
    names = {parameter.name for parameter in context.file.index.home[guard.statement][0].scope.parameters}
    return (True,) if isinstance(guard, Condition) and _is_chosen(guard.test, names) else ()


_up_to_caller = AlongPaths(_is_up_to_caller, most=1)


def _is_chosen(test: ast.expr, names: set[str]) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_chosen(operand, names)
        case ast.BoolOp(values=values):
            return any(_is_chosen(value, names) for value in values)
        case ast.Compare(left=ast.Name(id=name), comparators=[ast.Constant(value=str())]) | ast.Name(id=name):
            return name in names
        case _:
            return False
