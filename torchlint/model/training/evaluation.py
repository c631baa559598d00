"""Evaluation loops: loops over batches under `no_grad`, or after `.eval()`, that make no training step."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import takewhile
from typing import TYPE_CHECKING

from torchlint.model.calls import Call
from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.throttles import is_thinned
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.arguments import is_flag
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import LoopNode, loops_of
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import names_under, walk

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator
    from torchlint.model.training.what_trains import Training


def every_evaluated_batch(ev: Evaluator, training: Training, place: Place) -> tuple[Step, ...] | None:
    """Return the evaluation loop that runs a place in every iteration, or None if it is in none.

    Within a loop that trains, it is one if it runs every N steps: any other is a part of the steps.
    """
    around = list(loops_of(place.file.index, place.statement))
    inside = list(takewhile(lambda loop: not training.has_loop(place.file, loop), around))
    # A loop over epochs may train first, and evaluate then.
    loops = [loop for loop in inside if not isinstance(loop, ast.While) and _evaluates(place, loop)]
    if not loops or is_thinned(ev, place, loops[-1]):
        return None
    if len(inside) < len(around) and not _evaluates_periodically(ev, place, loops[-1], around[len(inside)]):
        return None
    return (header(place.file, loops[-1]).step("this loop evaluates"),)


def _evaluates_periodically(ev: Evaluator, place: Place, loop: LoopNode, training: LoopNode) -> bool:
    """Tell whether a loop passes batches to a module, and runs in few of the iterations of one that trains."""
    if not isinstance(loop, ast.For) or not is_thinned(ev, header(place.file, loop), training):
        return False
    calls = (Call(place.file, *one) for one in place.file.calls_within(loop))
    return any(ev.is_module(one.callee) and _is_given_batch_of(one, loop) for one in calls)


def _evaluates(place: Place, loop: ast.stmt) -> bool:
    # `forward` receives one batch: a loop in it iterates over that, whatever it switches to `eval` before; a
    # constructor builds, around a module that is in evaluation mode for good.
    is_of_object = place.scope.is_method and place.scope.name in ("forward", "__init__")
    return not is_recorded(place) or (comes_after_eval(place, loop) and not is_of_object)


def comes_after_eval(place: Place, loop: ast.stmt) -> bool:
    """Tell whether the function switches a module to evaluation before the loop, and not back."""
    switches = sorted(
        (call.lineno, call.col_offset, is_to_eval(call))
        for name in ("eval", "train")
        for call, statement in place.file.index.calls(name)
        if isinstance(call.func, ast.Attribute)
        and call.lineno < loop.lineno
        and place.file.index.home[statement][0].scope is place.scope
    )
    return bool(switches) and switches[-1][-1]


def is_to_eval(node: ast.expr) -> bool:
    """Tell whether a call of `eval` or `train` sets a module to evaluation: `net.eval()`, `net.train(False)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="eval"), args=[], keywords=[]):
            return True
        case ast.Call(func=ast.Attribute(attr="train"), args=args, keywords=words):
            modes = (*args, *(word.value for word in words))
            return len(modes) == 1 and is_flag(modes[0], False)
        case _:
            return False


def is_given_batch(call: Call) -> bool:
    """Tell whether an argument of a call differs in each iteration of a loop."""
    names = _names_in(one.expression for one in (*call.arguments, *call.keywords.values()))
    generators = (node for node in call.file.parents_in(call.statement) if isinstance(node, ast.comprehension))
    if not names.isdisjoint(_names_in(one.target for one in generators)):
        return True
    return any(_is_given_batch_of(call, loop) for loop in loops_around(call) if isinstance(loop, ast.For))


def _is_given_batch_of(call: Call, loop: ast.For) -> bool:
    given = [one.expression for one in (*call.arguments, *call.keywords.values())]
    if _is_counted(loop):
        return _is_given_part(call, loop, given)
    bindings = [binding.statement for name in _names_in(given) for binding in call.scope.bindings.get(name, ())]
    return any(one is loop or call.file.index.is_in_body(one, loop) for one in bindings)


def _is_given_part(call: Call, loop: ast.For, given: Iterable[ast.expr]) -> bool:
    """Tell whether an argument of a call is what a loop selects by its counter: `x[i : i + n]`, `next(batches)`.

    `batch(x, i)`, if that is a function of the project, selects a part as well.
    """
    counts, parts = _names_in([loop.target]), set[str]()
    inside = range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)
    groups = call.scope.bindings.values()
    # A script, or a notebook, may have many loops in a row.
    bindings = (one for group in groups for one in group if one.statement.lineno in inside)
    for binding in sorted(bindings, key=lambda one: one.statement.lineno):
        value = binding.value
        if value is None or binding.kind == "iterate" or not call.file.index.is_in_body(binding.statement, loop):
            continue
        if not parts.isdisjoint(_names_in([value])) or _takes_part(call, value, counts):
            parts.add(binding.name)
        elif not counts.isdisjoint(_names_in([value])):
            counts.add(binding.name)
    return any(not parts.isdisjoint(_names_in([one])) or _takes_part(call, one, counts) for one in given)


def _takes_part(call: Call, expression: ast.expr, counts: set[str]) -> bool:
    return any(_is_part(call, node, counts) for node in walk(expression))


def _is_part(call: Call, node: ast.AST, counts: set[str]) -> bool:
    match node:
        case ast.Subscript(slice=index):
            return not counts.isdisjoint(_names_in([index]))
        case ast.Call(func=ast.Name(id="next")):
            return True
        case ast.Call(func=function, args=given) if any(
            isinstance(one, ast.Name) and one.id in counts for one in given
        ):
            values = Place(call.file, function, call.statement).possibilities()
            return bool(values) and all(isinstance(one.value, Function) for one in values)
        case _:
            return False


def _names_in(expressions: Iterable[ast.expr]) -> set[str]:
    return {name for one in expressions for name in names_under(one)}


def _is_counted(loop: ast.For) -> bool:
    """Tell whether a loop iterates over numbers: `range(n)`, `trange(n)`, or one of these in a bar or `enumerate`."""
    match loop.iter:
        case ast.Call(func=function) if "range" in last_name(function):
            return True
        case _:
            return False


def is_within_step(ev: Evaluator, training: Training, place: Place) -> bool:
    """Tell whether a place is in the body of a loop that trains, or in its callees, possibly not at every step."""
    loops = loops_around(place)
    if training.has_function(place.file, place.scope) or any(training.has_loop(place.file, one) for one in loops):
        return True
    return place.scope.kind == "function" and _is_called_in_step(ev, training, Function(place.file, place.scope))


@tabled(False)
def _is_called_in_step(ev: Evaluator, training: Training, function: Function) -> bool:
    return any(is_within_step(ev, training, caller.place) for caller in ev.callers(function))


def iterates_over_modules(loop: ast.stmt) -> bool:
    """Tell whether each iteration of a loop calls another module: `for layer in layers`, `layers[i]` for an index."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return False
    names = names_under(loop.target)
    calls = (node for statement in loop.body for node in walk(statement) if isinstance(node, ast.Call))
    return any(_is_picked_by(call.func, names) for call in calls)


def _is_picked_by(function: ast.expr, names: set[str]) -> bool:
    match function:
        case ast.Name(id=name) | ast.Subscript(slice=ast.Name(id=name)):
            return name in names
        case _:
            return False
