"""Scalers without an update in every iteration: it is in some iterations only, after all of them, or missing."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.guards.contradictions import are_in_different_arms
from torchlint.model.headers import header
from torchlint.model.options.option_stores import holds_options
from torchlint.model.place import Place
from torchlint.model.training.throttle_tests import is_periodic
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.around import is_self
from torchlint.syntax.dominating_conditions import Condition, Iteration, conditions, conditions_inside
from torchlint.syntax.exits import LoopNode, first_leaving, jumps, loops_of, runs_once
from torchlint.syntax.walk import walk

from .iteration_order import innermost_loop
from .scaler_calls import Scaling, optimizer_of, when

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.interface import Evaluator


def not_each_iteration(scaling: Scaling) -> tuple[Call, Call] | None:
    """Return a call that each iteration of a loop makes and the update that not all make, or that follows the loop."""
    in_time: set[LoopNode] = set()
    for call in scaling.made("unscale_", "step"):
        loop = innermost_loop(call)
        if loop is None or loop in in_time or not (_comes_again(scaling, call, loop) and _is_each_time(call, loop)):
            continue
        if (update := _late_update(scaling, loop)) is not None:
            return call, update
        in_time.add(loop)
    return None


def not_updated(scaling: Scaling) -> Call | None:
    """Return a step that is repeated though the scaler is never updated."""
    for step in scaling.made("step"):
        is_repeated = any(_comes_again(scaling, step, loop) for loop in loops_of(step.file.index, step.statement))
        is_called_again = innermost_loop(step) is None and not scaling.is_own and _is_called_again(scaling.ev, step)
        if is_repeated or is_called_again:
            return step if not scaling.may_call("update", is_here=is_repeated) else None
    return None


def _comes_again(scaling: Scaling, call: Call, loop: LoopNode) -> bool:
    """Tell whether a loop repeats a call, for the same scaler and optimizer."""
    optimizer, index = optimizer_of(call), call.file.index
    if optimizer is None or first_leaving(loop.body, index) is not None or runs_once(loop):
        return False
    names = {scaling.name.partition(".")[0], optimizer.partition(".")[0]}
    bindings = (one.statement for name in names for one in call.scope.bindings.get(name, ()))
    return not any(one is loop or index.is_in_body(one, loop) for one in bindings)


def _is_each_time(call: Call, loop: LoopNode) -> bool:
    """Tell whether each iteration of a loop makes a call, or none does: its conditions are about options."""
    inside = conditions_inside(call.statement, call.expression, call.file.parents_in(call.statement))
    behind = (one for one in conditions(call.file.index, call.statement, loop) if one.statement is not loop)
    return all(_is_settled(call, one, loop) for one in (*inside, *behind))


def _is_settled(call: Call, condition: Condition | Iteration, loop: LoopNode) -> bool:
    """Tell whether a test has the same outcome in all iterations of a loop: it reads options, or outer variables."""
    if isinstance(condition, Iteration):
        return False
    nodes = list(walk(condition.test))
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    owners = {node.value for node in attributes}
    is_computed = any(isinstance(node, (ast.Call, ast.Await, ast.NamedExpr)) for node in nodes)
    is_changed = any(isinstance(node, ast.Name) and _is_bound_in(call, node.id, loop) for node in nodes)
    is_read = all(one in owners or _is_option(call, one) for one in attributes)
    return is_read and not is_computed and not is_changed


def _is_option(call: Call, attribute: ast.Attribute) -> bool:
    if holds_options(attribute.value):
        return True
    stores = call.file.index.attribute_stores(attribute.attr)
    scopes = [call.file.index.home[store.statement][0].scope for store in stores]
    return is_self(attribute.value) and bool(scopes) and all(one.name == "__init__" for one in scopes)


def _is_bound_in(call: Call, name: str, loop: LoopNode) -> bool:
    bindings = call.scope.bindings.get(name, ())
    return any(one.statement is loop or call.file.index.is_in_body(one.statement, loop) for one in bindings)


def _late_update(scaling: Scaling, loop: LoopNode) -> Call | None:
    """Return the update that a loop makes in some of its iterations only, or the one after it."""
    start, end = (loop.lineno, loop.col_offset), (loop.end_lineno or 0, loop.end_col_offset or 0)
    inside = [one for one in scaling.made("update") if start < when(one) <= end]
    if scaling.is_lent(start, (end[0], end[1] + 1)):
        return None
    if inside:
        return inside[0] if all(_is_thinned(scaling, one, loop) for one in inside) else None
    if next(jumps(scaling.file.index, loop, ast.Break), None) is not None:
        return None
    return next((one for one in scaling.made("update") if when(one) > end and _follows(one, loop)), None)


def _is_thinned(scaling: Scaling, update: Call, loop: LoopNode) -> bool:
    """Tell whether only some iterations of a loop reach an update, by a counter or a flag."""
    for condition in conditions(update.file.index, update.statement, loop):
        if isinstance(condition, Condition) and condition.statement is not loop:
            test = Place(update.file, condition.test, condition.statement)
            if is_periodic(scaling.ev, test, condition.holds):
                return True
    return False


def _follows(update: Call, loop: LoopNode) -> bool:
    """Tell whether an update follows a loop in every iteration of the outer one."""
    index = update.file.index
    outer = next(loops_of(index, loop), None)
    head = header(update.file, loop)
    return innermost_loop(update) is outer and not are_in_different_arms(head, update)


def _is_called_again(ev: Evaluator, place: Place) -> bool:
    """Tell whether a function is called from a loop, directly or not."""
    return place.scope.kind == "function" and _is_called_in_loop(ev, Function(place.file, place.scope))


@tabled(False)
def _is_called_in_loop(ev: Evaluator, function: Function) -> bool:
    callers = [caller.place for caller in ev.callers(function)]
    return any(innermost_loop(one) is not None or _is_called_again(ev, one) for one in callers)
