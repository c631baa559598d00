"""Evaluation that autograd records: a module in eval mode is called on batches, and its result never differentiated.

`eval()` does not change recording; the graph of each batch is built, and kept for as long as its result.
https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.calls import Call, method_calls_of
from torchlint.model.containers.displays import elements_of
from torchlint.model.headers import header, name_of
from torchlint.model.place import Place
from torchlint.model.training.evaluation import comes_after_eval, is_given_batch, is_within_step
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.step_loops import step_loops_of
from torchlint.model.values.value_sets import (
    Array,
    Built,
    Display,
    Function,
    Instance,
    Literal,
    Number,
    Tensor,
    Text,
    Tuple,
    Unknown,
    ValueSet,
)
from torchlint.syntax.around import loops_around
from torchlint.syntax.exits import first_leaving
from torchlint.syntax.walk import walk

from .always_recording import always_records, records_as_written
from .differentiating import may_differentiate
from .freezing import freezes_something
from .trained_module import may_be_trained

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.training.step_loops import StepLoops
    from torchlint.syntax.exits import LoopNode

_EVAL = frozenset({"eval"})
_DIFFERENTIATING = frozenset({"backward", "manual_backward", "scale", "grad"})
# These names show that results in eval mode are differentiated, possibly out of view.
_WANTED = re.compile(
    r"(?i:grad|attack|advers|perturb|salien|attribut|explain|(^|_)cam(_|$)|fisher|hessian|jacobi|influence|invert|optimi"
    r"|adapt|inner|meta|distill|train|fit)"
)
_PLAIN = (ast.Constant, ast.Lambda)


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
    for switch in method_calls_of(file, _EVAL):
        if not switch.is_statement or switch.owner is None or not switch.owner.is_name or switch.arguments:
            continue
        if not _WANTED.search(switch.scope.qualified_name) and (found := _recorded(ev, training, switch)) is not None:
            yield found


def _recorded(ev: Evaluator, training: StepLoops, switch: Call) -> LeftRecording | None:
    module = switch.owner
    assert module is not None
    for call, loop in _evaluating(switch, module):
        if not may_differentiate(ev, call.file, call.scope, loop.lineno - 1, (loop.end_lineno or loop.lineno) + 1):
            is_known = _is_module(ev, module)
            if is_known is False or is_within_step(ev, training, call) or not _is_unused_graph(ev, call, module):
                return None
            is_known = bool(is_known) and always_records(ev, call)
            return LeftRecording(call, header(call.file, loop), switch, is_known, _only_evaluating(ev, call))
    return None


def _only_evaluating(ev: Evaluator, call: Call) -> Place | None:
    node = call.scope.node
    if not isinstance(node, ast.FunctionDef) or may_differentiate(ev, call.file, call.scope, 0, node.end_lineno or 0):
        return None
    return name_of(call.file, call.scope)


def _evaluating(switch: Call, module: Place) -> Iterator[tuple[Call, LoopNode]]:
    """Yield the calls of a module in loops over batches that come after its `eval()`, each with its loop."""
    for node, statement in switch.file.calls_of(switch.scope, module.word):
        call = Call(switch.file, node, statement)
        if node.lineno <= switch.line or call.callee.code != module.code or call.is_statement or not is_recorded(call):
            continue
        loop = next((one for one in loops_around(call) if isinstance(one, ast.For) and one.lineno > switch.line), None)
        # A single batch does not matter.
        if loop is None or first_leaving(loop.body, call.file.index) is not None:
            continue
        if comes_after_eval(call, loop) and is_given_batch(call):
            yield call, loop


def _is_module(ev: Evaluator, module: Place) -> bool | None:
    """Tell whether something is a module of PyTorch, None if that is unknown."""
    values = [one.value for one in ev.evaluate(module)]
    if any(isinstance(one, (Instance, Built)) and not is_module(ev, one) for one in values):
        return False
    return None if any(isinstance(one, Unknown) for one in values) or not values else True


def _is_unused_graph(ev: Evaluator, call: Call, module: Place) -> bool:
    """Tell whether a call is recorded on every path, and nothing that its function passes out is differentiated."""
    if freezes_something(ev) and not may_be_trained(ev, module):
        return False
    if call.scope.yields or _keeps_graphs(ev, call) or not records_as_written(ev, call):
        return False
    if call.scope.kind != "function":
        return True
    callers = ev.callers(Function(call.file, call.scope))
    if not callers and not _returns_no_graph(ev, call):
        return False
    return not _returns_graphs(ev, call) or all(_only_reads(one.place) for one in callers)


def _keeps_graphs(ev: Evaluator, call: Call) -> bool:
    """Tell whether the function around a call stores something with a graph outside."""
    stores = (one for one in call.file.index.stores if call.file.index.home[one.statement][0].scope is call.scope)
    return _hold_graphs(ev, [Place(call.file, one.value, one.statement) for one in stores if one.value is not None])


def _returns_graphs(ev: Evaluator, call: Call) -> bool:
    """Tell whether the function around a call returns something with a graph."""
    return _hold_graphs(ev, [Place(call.file, one.value, one) for one in call.scope.returns if one.value is not None])


def _returns_no_graph(ev: Evaluator, call: Call) -> bool:
    """Tell whether what the function around a call returns surely has no graph, so that callers do not need one."""
    returned = (Place(call.file, one.value, one) for one in call.scope.returns if one.value is not None)
    return all(_is_plain(ev, ev.evaluate(place), 0) for place in returned)


def _is_plain(ev: Evaluator, possible: ValueSet, depth: int) -> bool:
    """Tell whether a value surely is numbers, texts, arrays or tensors without a graph, or a tuple of these."""
    for one in possible:
        match one.value:
            case Number() | Literal() | Text() | Array() | Tensor(graph=False):
                pass
            case Tuple(items=items) if depth < NESTED:
                if not all(_is_plain(ev, item, depth + 1) for item in items):
                    return False
            case Display() if depth < NESTED and _is_plain(ev, elements_of(ev, (one,)), depth + 1):
                pass
            case _:
                return False
    return bool(possible)


def _only_reads(caller: Place) -> bool:
    """Tell whether a caller binds the result of a function, and neither differentiates nor returns it."""
    calls = (node for name in sorted(_DIFFERENTIATING) for node, _ in caller.file.index.calls(name))
    reading = (*calls, *caller.scope.returns)
    read = {node.id for one in reading for node in walk(one) if isinstance(node, ast.Name)}
    return caller.is_statement or (bool(caller.bound_to) and read.isdisjoint(caller.bound_to))


def _hold_graphs(ev: Evaluator, places: list[Place]) -> bool:
    return any(_holds_graph(ev, ev.evaluate(place), 0) for place in places if not isinstance(place.expression, _PLAIN))


def _holds_graph(ev: Evaluator, possible: ValueSet, depth: int) -> bool:
    """Tell whether a value is a tensor that may carry a graph, or a container of such."""
    for one in possible:
        match one.value:
            case Tensor(graph=graph) if graph is not False:
                return True
            case Tuple(items=items) if any(_holds_graph(ev, item, depth + 1) for item in items):
                return True
            case Display() if depth < NESTED and _holds_graph(ev, elements_of(ev, (one,)), depth + 1):
                return True
            case _:
                pass
    return False
