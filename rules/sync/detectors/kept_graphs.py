"""Where a step's graph is kept beyond the step: `total += loss`, `losses.append(loss)`, a meter with a sum."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.inference.limits import FRAME_DEPTH
from torchlint.model.call_graph.callees import callees_of
from torchlint.model.place import Caller, Place
from torchlint.model.training.evaluation import every_evaluated_batch, iterates_over_modules
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.frames import frame_for
from torchlint.model.values.graphs_of_values import has_graph
from torchlint.model.values.value_sets import Array, Frame, Function
from torchlint.model.worlds import ANYWHERE
from torchlint.pytorch.backward import GRADIENTS
from torchlint.syntax.around import loops_around
from torchlint.syntax.closure import closure
from torchlint.syntax.last_names import callee_name
from torchlint.syntax.name_reads import is_computed_of
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.walk import walk

from .adding import added_values
from .additions import Addition
from .counting_up import counts_up
from .differentiated import is_differentiated, is_freed_with_backward, is_given_to_backward
from .frozen_outputs import may_be_of_frozen
from .given_graphs import is_given_with_graph
from .graphs import carries_graph, is_state, without_graph
from .outliving import is_kept_outside, outlives, starts_with_every_step
from .starting import is_reset

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.training.what_trains import Training
    from torchlint.syntax.scope import Binding


@dataclass(frozen=True, slots=True)
class KeptGraph:
    """A tensor that is kept beyond its step with its whole graph."""

    place: Place
    """The addition, the call of `append`, or the call that passes the tensor to what keeps it."""
    tensor: Place
    is_evaluated: bool = False
    """Whether an evaluation keeps it, which needs no graphs at all."""
    is_state: bool = False
    """Whether it may be the state of an LSTM: a tuple of two tensors."""

    @property
    def premises(self) -> tuple[Step, ...]:
        """Return the step that assumes that it has a graph, if what has none may be kept instead."""
        other = without_graph(self.place.file.project.evaluator(ANYWHERE), self.tensor)
        return (other.step("assumes that it is not this, which has no graph", is_assumed=True),) if other else ()


def kept_graphs(ev: Evaluator, file: ParsedFile) -> Iterator[KeptGraph]:
    """Yield where a file keeps graphs step after step, or batch after batch of an evaluation, each place once."""
    training = step_loops_of(ev.project)
    found: set[tuple[str, int, int, int, int]] = set()
    for kept in _all_kept(ev, training, file):
        if kept.place.key not in found:
            found.add(kept.place.key)
            yield kept


def _all_kept(ev: Evaluator, training: Training, file: ParsedFile) -> Iterator[KeptGraph]:
    for addition in added_values(file):
        if _is_evaluated(ev, training, addition) and _keeps_graph(ev, addition):
            yield KeptGraph(addition.place, addition.value, is_evaluated=True)
    if training.is_in(file):
        yield from _kept_in_training(ev, training, file)


def _kept_in_training(ev: Evaluator, training: Training, file: ParsedFile) -> Iterator[KeptGraph]:
    for addition in added_values(file):
        # The caller of a meter can detach the loss; the meter cannot know.
        if any(_adds(ev, addition, parameter.name) for parameter in addition.place.scope.parameters):
            continue
        if not outlives(ev, training, addition) or is_differentiated(ev, addition):
            continue
        if not _keeps_graph(ev, addition) and not _keeps_graph_of_input(ev, training, addition):
            continue
        if not is_freed_with_backward(ev, addition.value):
            yield KeptGraph(addition.place, addition.value, is_state=is_state(ev, addition.value))
    for call, statement in file.index.expressions(ast.Call):
        place = Place(file, call, statement)
        if training.every_step(place) is None:
            continue
        for argument in _passed_to_keepers(ev, training, place):
            if carries_graph(ev, argument) and not may_be_of_frozen(ev, argument):
                yield KeptGraph(place, argument, is_state=is_state(ev, argument))


def _keeps_graph(ev: Evaluator, addition: Addition) -> bool:
    if not carries_graph(ev, addition.value) or _is_into_array(ev, addition.place):
        return False
    return not may_be_of_frozen(ev, addition.value)


def _keeps_graph_of_input(ev: Evaluator, training: Training, addition: Addition) -> bool:
    """Tell whether a module keeps a statistic of its input in an attribute: `self.mean = 0.9 * self.mean + …`."""
    is_own = addition.container.startswith("self.") and not carries_graph(ev, addition.value)
    return is_own and is_given_with_graph(ev, training, addition.value)


def _is_into_array(ev: Evaluator, place: Place) -> bool:
    """Tell whether something is stored into an array of NumPy, which keeps the numbers only."""
    match place.expression:
        case ast.Subscript(value=container):
            possible = ev.evaluate(place.at(container))
            return bool(possible) and all(isinstance(one.value, Array) for one in possible)
        case _:
            return False


def _is_evaluated(ev: Evaluator, training: Training, addition: Addition) -> bool:
    """Tell whether an evaluation adds something with every batch while autograd records, in any call context."""
    place = addition.place
    if every_evaluated_batch(ev, training, place) is None or not is_recorded(place) or is_differentiated(ev, addition):
        return False
    loop = _loop_that_computes(ev, addition)
    if all(map(iterates_over_modules, loops_around(place))) or not _calls_for(addition.value, loop):
        return False
    if not counts_up(addition, loop) or is_reset(place.file, place.scope, loop, addition):
        return False
    if place.file.index.calls("set_grad_enabled") or _goes_back(place, loop):
        return False
    callers = ev.callers(Function(place.file, place.scope)) if place.scope.kind == "function" else ()
    return all(is_recorded(caller.place) for caller in callers)


def _goes_back(place: Place, loop: ast.stmt) -> bool:
    """Tell whether each iteration of a loop computes gradients, which needs a graph: a likelihood, an attack."""
    called = (callee_name(call) for call, _ in place.file.calls_within(loop))
    return any(name in GRADIENTS for name in called)


def _loop_that_computes(ev: Evaluator, addition: Addition) -> ast.stmt:
    """Return the loop around a place whose iterations compute what is kept; an inner one may only unpack it."""
    around = list(loops_around(addition.place))
    return next((loop for loop in around if _is_computed_in(ev, addition.value, loop)), around[0])


def _is_computed_in(ev: Evaluator, value: Place, loop: ast.stmt) -> bool:
    """Tell whether a value is the result of a call, or of a tensor that each iteration of a loop computes."""
    made_of = closure(value, lambda one: _assigned_in(ev, one, loop))
    return any(isinstance(node, ast.Call) for one in made_of for node in walk(one.expression))


def _assigned_in(ev: Evaluator, value: Place, loop: ast.stmt) -> Iterator[Place]:
    """Yield the tensors with a graph that each iteration of a loop assigns to the names in a value."""
    names = dict.fromkeys(node.id for node in walk(value.expression) if isinstance(node, ast.Name))
    for one in (binding for name in names for binding in value.scope.bindings.get(name, ())):
        if one.kind == "assign" and one.value is not None and _is_of_round(value, one, loop):
            assigned = Place(value.file, one.value, one.statement)
            if carries_graph(ev, assigned):
                yield assigned


def _calls_for(value: Place, loop: ast.stmt) -> bool:
    """Tell whether an iteration calls anything to compute a value: a mean of two outputs from before keeps little."""
    pending, seen = [value.expression], set[str]()
    while pending:
        for node in walk(pending.pop()):
            if isinstance(node, ast.Call):
                return True
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                bound = value.scope.bindings.get(node.id, ())
                pending += [one.value for one in bound if one.value is not None and _is_in_round(value, one, loop)]
    return False


def _is_in_round(place: Place, binding: Binding, loop: ast.stmt) -> bool:
    return binding.statement is not loop and _is_of_round(place, binding, loop)


def _is_of_round(place: Place, binding: Binding, loop: ast.stmt) -> bool:
    return binding.statement is loop or place.file.index.is_in_body(binding.statement, loop)


def _passed_to_keepers(ev: Evaluator, training: Training, place: Place) -> Iterator[Place]:
    """Yield the arguments of a call that its callee adds to what it keeps."""
    if _is_for_a_step(ev, training, place):
        return
    for function in callees_of(ev, place):
        if not (kept := list(_kept_by(ev, training, function))):
            continue
        caller = Caller.of_call(place, 1 if function.scope.is_method else 0)
        frame = frame_for(place, function, FRAME_DEPTH)
        for parameter in function.scope.parameters:
            if parameter.star != "**" and any(_adds(ev, one, parameter.name, frame) for one in kept):
                yield from caller.argument(parameter) or ()


def _is_for_a_step(ev: Evaluator, training: Training, call: Place) -> bool:
    """Tell whether the receiver of a method call is made again at every step."""
    loop, node = training.loop_of_update(call), call.expression
    if loop is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    made = [one.origin for one in ev.evaluate(call.at(node.func.value)) if one.origin is not None]
    return any(one.file is call.file and call.file.index.is_in_body(one.statement, loop) for one in made)


def _kept_by(ev: Evaluator, training: Training, function: Function) -> Iterator[Addition]:
    """Yield what a method adds to an attribute that it does not reset, and a function to a variable outside."""
    for addition in added_values(function.file):
        if addition.place.scope is not function.scope or not counts_up(addition, None):
            continue
        is_own = function.scope.is_method and addition.container.startswith("self.")
        if is_reset(function.file, function.scope, None, addition):
            continue
        # What is reset with every step holds one graph, and who reads all of a list before has used them.
        if starts_with_every_step(ev, training, addition):
            continue
        if not is_own and (function.scope.is_method or not is_kept_outside(training, addition)):
            continue
        if not _is_into_array(ev, addition.place) and not is_given_to_backward(ev, addition):
            yield addition


def _adds(ev: Evaluator, addition: Addition, name: str, frame: Frame | None = None) -> bool:
    """Tell whether a parameter, or a multiple of it, is added with its graph."""
    value = addition.value
    if not is_computed_of(value.expression, name):
        return False
    there = value.within(frame)
    reached = reaching(value.file.index, value.scope.bindings[name], value.statement, ev.decide(there)).definitions
    if not any(one.kind == "parameter" for one in reached):
        return False
    # `if isinstance(value, Tensor): value = value.item()`: the call determines which of the two is added.
    return frame is None or len(reached) == 1 or has_graph(ev.evaluate(there))
