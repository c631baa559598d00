"""Evaluation that autograd records: a module in eval mode is called on batches, and its result never differentiated.

`eval()` does not change recording; the graph of each batch is built, and kept for as long as its result.
https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.headers import header, name_of
from torchlint.model.place import Place
from torchlint.model.training.evaluation import is_given_batch, is_to_eval, is_within_step
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Built, Function, Instance, Unknown
from torchlint.syntax.around import is_self, loops_around
from torchlint.syntax.exits import first_leaving
from torchlint.syntax.walk import written

from .always_recording import always_records, is_left_recording
from .between_epochs import is_between_epochs, is_used_by_steps
from .differentiating import may_differentiate
from .evaluated_per_call import loop_of_calls
from .passed_modules import is_run_by_callee
from .switches import Switch, is_in_force, switches_by_method
from .unused_graphs import is_unused_graph

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.training.what_trains import Training
    from torchlint.syntax.exits import LoopNode

_SWITCHES = frozenset({"eval", "train"})
# These names show that results in eval mode are differentiated, possibly out of view.
_WANTED = re.compile(
    r"(?i:grad|attack|advers|perturb|salien|attribut|explain|(^|_)cam(_|$)|fisher|hessian|jacobi|influence|invert|optimi"
    r"|adapt|inner|meta|distill)"
)
# A class of these names has methods that evaluate, too.
_TRAINING = re.compile(r"(?i:train|fit)")


@dataclass(frozen=True, slots=True)
class LeftRecording:
    """A call that evaluates a module and is recorded, the loop over batches around it, and the `eval()` before."""

    call: Call
    loop: Place
    switch: Call
    is_known: bool
    """Whether the module is known to be one, and all callers of the function are known."""
    function: Place | None
    """The function around, by its name, if nothing else in it computes gradients either."""


def left_recording(ev: Evaluator, file: ParsedFile) -> Iterator[LeftRecording]:
    """Yield the calls of a file that evaluate a module over batches and are recorded without a use, one of a module."""
    training = step_loops_of(ev.project)
    own = [Switch(one, one.owner) for one in method_calls_of(file, _SWITCHES) if _is_switch(one) and one.owner]
    switches = [*own, *(one for switch in own for one in switches_by_method(ev, switch))]
    for switch, until in zip(switches, _until_the_next(switches), strict=True):
        is_training = _TRAINING.search(switch.call.scope.name) and not is_between_epochs(training, switch.call)
        is_wanted = _WANTED.search(switch.call.scope.qualified_name) or is_training
        if not is_wanted and (found := _recorded(ev, training, switch, until)) is not None:
            yield found


def _is_switch(call: Call) -> bool:
    """Tell whether a call switches a module that has a name to evaluation, and is a statement or binds a name."""
    if call.owner is None or not call.owner.is_name or not is_to_eval(call.expression):
        return False
    return call.is_statement or bool(call.bound_to)


def _until_the_next(switches: Sequence[Switch]) -> list[float]:
    """Return the line of the next switch of the same names in the same scope, for each: loops below belong to that."""
    until, lines = [math.inf] * len(switches), dict[tuple[ast.AST, frozenset[str]], int]()
    for position, switch in sorted(enumerate(switches), key=lambda one: -one[1].call.line):
        key = (switch.call.scope.node, _names_of(switch))
        until[position] = lines.get(key, math.inf)
        lines[key] = switch.call.line
    return until


def _names_of(switch: Switch) -> frozenset[str]:
    return frozenset({switch.module.code, *switch.call.bound_to})


def _recorded(ev: Evaluator, training: Training, switch: Switch, until: float) -> LeftRecording | None:
    module = switch.module
    for call, loop in _evaluating(ev, switch, until):
        if not may_differentiate(ev, call.file, call.scope, loop.lineno - 1, (loop.end_lineno or loop.lineno) + 1):
            is_known = _is_module(ev, module)
            if is_known is False or _is_of_step(ev, training, call, loop) or not is_unused_graph(ev, call, module):
                return None
            is_known = bool(is_known) and always_records(ev, call)
            return LeftRecording(call, header(call.file, loop), switch.call, is_known, _only_evaluating(ev, call))
    return _recorded_per_call(ev, switch, until)


def _recorded_per_call(ev: Evaluator, switch: Switch, until: float) -> LeftRecording | None:
    """Return the first evaluation after a switch that a loop elsewhere repeats, if it is recorded without a use."""
    module, names = switch.module, _names_of(switch)
    for node, statement in switch.call.file.calls_in_scope(switch.call.scope):
        call = Call(switch.call.file, node, statement)
        if not switch.call.line < call.line < until or call.is_statement or not _runs(ev, call, names):
            continue
        if not is_recorded(call) or not is_in_force(switch, call, statement) or not _is_module(ev, module):
            return None
        last = call.scope.node.end_lineno if isinstance(call.scope.node, ast.FunctionDef) else None
        if last is None or may_differentiate(ev, call.file, call.scope, call.line - 1, last + 1):
            return None
        loop = loop_of_calls(ev, call)
        if loop is None or not is_unused_graph(ev, call, module):
            return None
        return LeftRecording(call, loop, switch.call, always_records(ev, call), _only_evaluating(ev, call))
    return None


def _is_of_step(ev: Evaluator, training: Training, call: Call, loop: LoopNode) -> bool:
    """Tell whether a call is within a step, or a step of the function around may use its result."""
    if is_between_epochs(training, call):
        return is_used_by_steps(ev, training, call, loop)
    return is_within_step(ev, training, call)


def _only_evaluating(ev: Evaluator, call: Call) -> Place | None:
    node = call.scope.node
    if not isinstance(node, ast.FunctionDef) or may_differentiate(ev, call.file, call.scope, 0, node.end_lineno or 0):
        return None
    return name_of(call.file, call.scope)


def _evaluating(ev: Evaluator, switch: Switch, until: float) -> Iterator[tuple[Call, LoopNode]]:
    """Yield the calls of a module in loops over batches between its `eval()` and a line, each with its loop."""
    names, first, last = _names_of(switch), switch.call.line, _end_of_loops(switch, until)
    for node, statement in switch.call.file.calls_in_scope(switch.call.scope):
        if not first < node.lineno <= last:
            continue
        call = Call(switch.call.file, node, statement)
        if call.is_statement or not _runs(ev, call, names):
            continue
        loop = next(
            (one for one in loops_around(call) if isinstance(one, ast.For) and one.lineno > switch.call.line), None
        )
        if loop is None or loop.lineno > until or not is_recorded(call):
            continue
        # A single batch does not matter.
        if first_leaving(loop.body, call.file.index) is not None:
            continue
        if is_in_force(switch, call, loop) and is_given_batch(call):
            yield call, loop


def _end_of_loops(switch: Switch, until: float) -> int:
    """Return the last line of the loops that begin between a switch and a line."""
    first, loops = switch.call.line, switch.call.file.index.statements(ast.For)
    return max([one.end_lineno or one.lineno for one in loops if first < one.lineno <= until], default=0)


def _runs(ev: Evaluator, call: Call, names: frozenset[str]) -> bool:
    """Tell whether a call runs a module that has one of these names: `net(x)`, `net.forward(x)`, or in a method."""
    match call.callee.expression:
        case ast.Attribute(value=owner, attr="forward") if written(owner) in names:
            return True
        case ast.Attribute(value=owner) if is_self(owner):
            is_run = call.callee.code in names or _is_run_by_method(ev, call, names)
            return is_run or is_run_by_callee(ev, call, names)
        case _:
            return call.callee.code in names or is_run_by_callee(ev, call, names)


def _is_run_by_method(ev: Evaluator, call: Call, names: frozenset[str]) -> bool:
    """Tell whether a method of the same object runs a part of it, and leaves recording as it is."""
    parts = frozenset(name for name in names if name.startswith("self."))
    functions = [one.value for one in ev.evaluate(call.callee)] if parts else []
    return bool(functions) and all(isinstance(one, Function) and _calls_one(ev, one, parts) for one in functions)


def _calls_one(ev: Evaluator, function: Function, names: frozenset[str]) -> bool:
    calls = (Place(function.file, call, at) for call, at in function.file.calls_in_scope(function.scope))
    called = [one for one in calls if isinstance(one.expression, ast.Call) and written(one.expression.func) in names]
    return bool(called) and all(is_left_recording(ev, one) for one in called)


def _is_module(ev: Evaluator, module: Place) -> bool | None:
    """Tell whether something is a module of PyTorch, None if that is unknown."""
    values = [one.value for one in ev.evaluate(module)]
    if any(isinstance(one, (Instance, Built)) and not is_module(ev, one) for one in values):
        return False
    return None if any(isinstance(one, Unknown) for one in values) or not values else True
