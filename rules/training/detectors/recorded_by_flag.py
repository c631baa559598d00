"""Evaluation by a function that trains, too: an argument keeps `backward()` out, and autograd records all the same.

https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call
from torchlint.model.place import Place
from torchlint.model.training.evaluation import is_given_batch
from torchlint.model.training.kept_out import is_kept_out
from torchlint.model.training.parameter_tests import tests_of_parameters
from torchlint.model.training.stepping import backwards
from torchlint.model.values.value_sets import Function

from .always_recording import always_records, is_left_recording
from .differentiating import may_differentiate
from .trained_module import may_be_trained
from .unused_graphs import keeps_graphs, stays_inside

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope


@dataclass(frozen=True, slots=True)
class RecordedByFlag:
    """A call of a module that is recorded, the call whose arguments keep `backward()` out, and the test of these."""

    call: Call
    caller: Place
    test: Place


def recorded_by_flag(ev: Evaluator, file: ParsedFile) -> Iterator[RecordedByFlag]:
    """Yield the calls of modules that one caller evaluates without a use of the graph, the first of each function."""
    trained: defaultdict[Scope, list[Place]] = defaultdict(list)
    for backward in backwards(ev, file):
        if backward.scope.kind == "function":
            trained[backward.scope].append(backward)
    for scope, calls in trained.items():
        if all(tests_of_parameters(ev, one) for one in calls) and (found := _evaluated(ev, file, scope, calls)):
            yield found


def _evaluated(ev: Evaluator, file: ParsedFile, scope: Scope, backward: Sequence[Place]) -> RecordedByFlag | None:
    for one in ev.callers(Function(file, scope)):
        if not all(is_kept_out(ev, (one.place, call)) for call in backward) or not always_records(ev, one.place):
            continue
        if (call := _recorded(ev, file, scope, one.place)) is not None:
            test = tests_of_parameters(ev, backward[0])[0]
            return RecordedByFlag(call, one.place, Place(file, test.test, test.statement))
    return None


def _recorded(ev: Evaluator, file: ParsedFile, scope: Scope, caller: Place) -> Call | None:
    """Return the first call of a trained module on a batch that a call reaches, if nothing there uses gradients."""
    calls = [Call(file, node, statement) for node, statement in file.calls_in_scope(scope)]
    left_out = {one.expression for one in calls if is_kept_out(ev, (caller, one))}
    end = getattr(scope.node, "end_lineno", None) or 0
    if may_differentiate(ev, file, scope, 0, end + 1, left_out):
        return None
    is_batch = is_given_batch(Call(caller.file, caller.expression, caller.statement))
    for call in calls:
        if call.expression in left_out or not (is_batch or is_given_batch(call)):
            continue
        if (run := _module_run_by(ev, call)) is None:
            continue
        return call if is_left_recording(ev, call) and stays_inside(ev, call, run.callee, (caller,)) else None
    return None


def _module_run_by(ev: Evaluator, call: Call) -> Call | None:
    """Return the call of a trained module that a call is, or that the function which it calls makes."""
    if _is_trained(ev, call.callee):
        return call
    functions = list(callees_of(ev, call))
    if len(functions) != 1 or functions[0].scope.yields or functions[0].scope is call.scope:
        return None
    file, scope = functions[0].file, functions[0].scope
    for inner in (Call(file, node, statement) for node, statement in file.calls_in_scope(scope)):
        if _is_trained(ev, inner.callee):
            return inner if is_left_recording(ev, inner) and not keeps_graphs(ev, inner) else None
    return None


def _is_trained(ev: Evaluator, module: Place) -> bool:
    possible = ev.evaluate(module)
    return bool(possible) and all(is_module(ev, one.value) for one in possible) and may_be_trained(ev, module)
