"""Whether a place is reachable in a world, and whether a function is reachable by more than its name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.call_graph.mentions import mentions_in
from torchlint.model.containers.emptiness import is_empty
from torchlint.model.guards.along_paths import AlongPaths, PathContext
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Function
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.processes import SPAWNING
from torchlint.syntax.arguments import passed
from torchlint.syntax.dominating_conditions import Condition, Iteration
from torchlint.syntax.last_names import callee_name

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# A name in more files is hardly one function's.
_MOST_FILES = 20
# Both take `fn, args, nprocs`: https://docs.pytorch.org/docs/stable/multiprocessing.html#spawning-subprocesses


def is_reachable(ev: Evaluator, place: Place) -> bool:
    """Tell whether no dominating condition of a place, within its function, fails."""
    return not _against(ev, place)


def is_sure_to_run(ev: Evaluator, place: Place) -> bool:
    """Tell whether all dominating conditions of a place, within its function, hold, and every loop has an iteration."""
    return not _open(ev, place)


def _fails(ev: Evaluator, context: PathContext, guard: Condition | Iteration) -> tuple[bool, ...]:
    """Tell whether a condition fails, or a loop has nothing to iterate over."""
    file, frame, given, _ = context
    if isinstance(guard, Condition):
        outcome = ev.truth(Place(file, guard.test, guard.statement, frame, given))
        return (True,) if outcome is (not guard.holds) else ()
    return (True,) if is_empty(ev, ev.evaluate(Place(file, guard.source, guard.statement, frame, given))) else ()


def _is_open(ev: Evaluator, context: PathContext, guard: Condition | Iteration) -> tuple[bool, ...]:
    """Tell whether a condition may fail, or a loop may have nothing to iterate over."""
    file, frame, given, _ = context
    if isinstance(guard, Condition):
        outcome = ev.truth(Place(file, guard.test, guard.statement, frame, given))
        return () if outcome is guard.holds else (True,)
    return () if ev.truth(Place(file, guard.source, guard.statement, frame, given)) is True else (True,)


_against = AlongPaths(_fails, most=1)
_open = AlongPaths(_is_open, most=1)


def starts_nothing(ev: Evaluator, place: Place) -> bool:
    """Tell whether a call is `mp.spawn(train, nprocs=0)`, which returns at once and never calls `train`."""
    call = place.expression
    if not isinstance(call, ast.Call) or callee_name(call) not in SPAWNING:
        return False
    count = passed(call, "nprocs", 2)
    return count is not None and ev.truth(place.at(count)) is False


def never_runs(ev: Evaluator, place: Place) -> bool:
    """Tell whether no machine reaches a place: the arguments of its function rule it out."""
    return not is_reachable(ev.project.evaluator(WITH_CUDA), place)


def is_kept(ev: Evaluator, function: Function) -> bool:
    """Tell whether a program stores a function where any code may call it from: `models = {"small": small}`."""
    name = function.scope.name
    paths = ev.project.library.holding(name)
    if function.scope.is_method or len(paths) > _MOST_FILES:
        return False
    files = (file for path in paths if (file := ev.project.parsed(path)) is not None)
    kept = (one for file in files for one in mentions_in(file, frozenset({name})) if one.is_kept)
    places = (Place(one.file, one.node, one.statement) for one in kept if isinstance(one.node, ast.expr))
    return any(one.value == function for place in places for one in ev.evaluate(place))
