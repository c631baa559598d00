"""Whether a place that needs CUDA is guarded against machines without it.

Three answers count as a guard: a test on the path that fails there (in this function, in all its callers, in a helper
that raises, in a decorator that skips), a `try` that handles the exception, and a test about the device that the user
of the program decides, or one for what is only made if that test passed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.call_graph.implicit_calls import implicit_calls_of, may_have
from torchlint.model.call_graph.lookups_by_text import lookups_of
from torchlint.model.guards.attempts import comes_after_attempt
from torchlint.model.guards.catching import is_caught
from torchlint.model.guards.failing import fails_at, fails_to_load, leads_to_gpu_backend, never_returns
from torchlint.model.guards.gpu_only import is_gpu_only, is_of_backend
from torchlint.model.guards.never_made import is_of_none
from torchlint.model.guards.reachability import is_kept, is_reachable, never_runs, starts_nothing
from torchlint.model.guards.satisfying_calls import satisfying_calls
from torchlint.model.guards.skipping import is_marked, skips
from torchlint.model.guards.undecided_tests import is_device_choice, left_open
from torchlint.model.parallel.wrappers import is_hook
from torchlint.model.place import Place
from torchlint.model.results.own_functions import ends_before
from torchlint.model.values.earlier_statements import any_earlier
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.model.values.variable_reads import inner_reads
from torchlint.model.worlds import ANYWHERE
from torchlint.syntax.around import dominating_conditions
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from collections.abc import Callable

    from torchlint.model.interface import Evaluator, ParsedFile


def is_guarded(ev: Evaluator, place: Place, caught: Callable[[Place], bool] | None = None) -> bool:
    """Tell whether a place is guarded against machines without CUDA; `ev` answers for such a machine.

    `caught` is a predicate of places: whether the `try` around one handles the failure; by default any that goes on.
    """
    return _is_guarded(ev, place, caught or is_caught)


@tabled(True)
def _is_guarded(ev: Evaluator, place: Place, caught: Callable[[Place], bool]) -> bool:
    """Tell the same of a place; what only calls itself is never reached."""
    if not is_reachable(ev, place) or caught(place) or _comes_after_exit(ev, place):
        return True
    if tests := left_open(ev, place):
        return all(_is_guarded(ev, one, caught) for one in satisfying_calls(ev, tests))
    if comes_after_attempt(ev, place) or is_marked(place) or is_gpu_only(place) or is_of_backend(ev, place):
        return True
    if leads_to_gpu_backend(ev, place):
        return True
    function = place.scope
    # The attributes of a class of tests are read by its tests.
    if function.kind == "class" and skips(ev, place, function):
        return True
    while function.kind == "class" and function.outer is not None:
        function = function.outer
    if function.kind == "file":
        return False
    if skips(ev, place, function) or fails_to_load(ev, place.file) or _is_defined_nowhere(ev, place.file, function):
        return True
    if is_of_none(ev, place.file, function):
        return True
    return _is_unreached(ev, place, Function(place.file, function), caught)


def _is_defined_nowhere(ev: Evaluator, file: ParsedFile, function: Scope) -> bool:
    """Tell whether a method's `def` is under a test that fails: the class then has no method of that name."""
    definition = function.node
    if not function.is_method or not isinstance(definition, ast.stmt):
        return False
    return not is_reachable(ev, Place(file, ast.copy_location(ast.Constant(None), definition), definition))


def _is_unreached(ev: Evaluator, place: Place, function: Function, caught: Callable[[Place], bool]) -> bool:
    """Tell whether all callers of the function around a place are guarded, or call nothing."""
    callers = ev.callers(function) or object_callers_of(ev, function)
    called = [one.place for one in callers if one.place.scope is not function.scope]
    if not called:
        if ends := ends_before(ev, function):
            return all(_is_guarded(ev, end, caught) for end in ends)
        named = inner_reads(function) or tuple(lookups_of(ev, function))
        is_kept_back = bool(named) and all(_is_guarded(ev, one, caught) for one in named)
        return is_kept_back or is_hook(ev, function) or _is_never_run_implicitly(ev, function, caught)
    # Starting a process for each GPU starts none.
    left = (one for one in called if not starts_nothing(ev, one) and not _is_ruled_out(ev, place, function, one))
    if not all(_is_guarded(ev, one, caught) for one in left):
        return False
    # Calls that never run say nothing about calls through a table.
    return not all(never_runs(ev, one) for one in called) or not is_kept(ev, function)


def _is_ruled_out(ev: Evaluator, place: Place, function: Function, call: Place) -> bool:
    """Tell whether an argument of a call decides a test against a place: `if index >= 0:`, and `work(-1)`."""
    names = {one.name for one in function.scope.parameters}
    tests = (node for condition in dominating_conditions(place) for node in walk(condition.test))
    if function.scope.is_method or not any(isinstance(node, ast.Name) and node.id in names for node in tests):
        return False
    is_plain = isinstance(call.expression, ast.Call) and callee_name(call.expression) == function.scope.name
    frame = frame_for(call, function, FRAME_DEPTH) if is_plain else None
    return frame is not None and not is_reachable(ev, place.within(frame))


def _is_never_run_implicitly(ev: Evaluator, method: Function, caught: Callable[[Place], bool]) -> bool:
    """Tell whether every loop over an object, or `with` of one, is guarded, or has something else without CUDA.

    It has if `loader = Fetching(loader)` is under a test.
    """
    objects = list(implicit_calls_of(ev.project.evaluator(ANYWHERE), method))
    unguarded = (one for one in objects if may_have(ev, one, method) and not _is_guarded(ev, one, caught))
    return bool(objects) and not any(unguarded)


@any_earlier
def _comes_after_exit(ev: Evaluator, earlier: Place) -> bool:
    """Tell whether a call, loop or `if` never completes without CUDA: `require_gpu()`."""
    match earlier.statement:
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
            return never_returns(ev, earlier.at(call))
        case ast.If(test=test):
            return fails_at(ev, Place(earlier.file, test, earlier.statement))
        case ast.For(body=body):
            return any(_refuses(ev, earlier, one) for one in body)
        case _:
            return False


def _refuses(ev: Evaluator, place: Place, statement: ast.stmt) -> bool:
    """Tell whether an assert in a loop requires that each of the elements is on CUDA."""
    if not isinstance(statement, ast.Assert) or "cuda" not in written(statement.test):
        return False
    test = Place(place.file, statement.test, statement, place.frame, place.given)
    return ev.truth(test) is False or is_device_choice(ev, test, True, {})
