"""Where a step's graph is kept beyond the step: `total += loss`, `losses.append(loss)`, a meter that adds up."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.linking.callees import callees_of
from torchlint.model.linking.caller import Caller
from torchlint.model.place import Place
from torchlint.model.results.calling import MOST_FRAMES
from torchlint.model.syncs.adding import Keeping, is_reset, keepings, resets
from torchlint.model.syntax.around import loops_around
from torchlint.model.syntax.flow import reaching
from torchlint.model.syntax.walk import walk, written
from torchlint.model.training.evaluation import every_evaluated_batch, goes_through_modules
from torchlint.model.training.recording import records
from torchlint.model.values.frame import Frame, frame_for
from torchlint.model.values.possible import Function, Possible, Tensor, Unknown

if TYPE_CHECKING:
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.training.steps import Training
    from torchlint.model.values.evaluator import Evaluator


@dataclass(frozen=True, slots=True)
class KeptGraph:
    """A tensor that is kept beyond its step with everything that it was computed from."""

    place: Place
    """The addition, the call of `append`, or the call that hands the tensor to whoever keeps it."""
    tensor: Place
    is_evaluated: bool = False
    """Whether an evaluation keeps it, which needs no graphs at all."""


def kept_graphs(ev: Evaluator, training: Training, file: SourceFile) -> Iterator[KeptGraph]:
    """Yield where a file keeps graphs step after step, or batch after batch of an evaluation."""
    for keeping in keepings(file):
        if _is_evaluated(ev, training, keeping) and carries_graph(ev, keeping.value):
            yield KeptGraph(keeping.place, keeping.value, is_evaluated=True)
    if file in training.files:
        yield from _kept_in_training(ev, training, file)


def _kept_in_training(ev: Evaluator, training: Training, file: SourceFile) -> Iterator[KeptGraph]:
    for keeping in keepings(file):
        # Who hands a meter its loss can detach it; the meter cannot know.
        if any(_adds(ev, keeping, parameter.name) for parameter in keeping.place.scope.parameters):
            continue
        if not _outlives(training, keeping) or _is_differentiated(keeping):
            continue
        if carries_graph(ev, keeping.value) and not _is_freed_with_backward(ev, keeping.value):
            yield KeptGraph(keeping.place, keeping.value)
    for call, statement in file.index.expressions(ast.Call):
        place = Place(file, call, statement)
        if training.every_step(place) is None:
            continue
        for argument in _handed_to_keepers(ev, place):
            if carries_graph(ev, argument):
                yield KeptGraph(place, argument)


def _outlives(training: Training, keeping: Keeping) -> bool:
    """Tell whether something is added every step to what was there before the step, and will be there after it."""
    story = training.every_step(keeping.place)
    if story is None:
        return False
    place = keeping.place
    loop = training.loop_of_update(place)
    if loop is None:
        is_attribute = "." in keeping.root and not is_reset(place.file, place.scope, None, keeping)
        return is_attribute and not _starts_with_every_step(training, keeping)
    return not is_reset(place.file, place.scope, loop, keeping)


def _starts_with_every_step(training: Training, keeping: Keeping) -> bool:
    """Tell whether another method that runs with every step starts an attribute anew: `self.state = zeros(…)`."""
    index = keeping.place.file.index
    scopes = {index.home[statement][0].scope for statement in resets(keeping.place.file, keeping.root)}
    return any(scope is not keeping.place.scope and scope in training.functions for scope in scopes)


def _is_evaluated(ev: Evaluator, training: Training, keeping: Keeping) -> bool:
    """Tell whether an evaluation adds something with every batch while autograd records, whoever calls it."""
    place = keeping.place
    if every_evaluated_batch(ev, training, place) is None or not records(place) or _is_differentiated(keeping):
        return False
    loop = next(loops_around(place))
    if all(map(goes_through_modules, loops_around(place))):
        return False
    if is_reset(place.file, place.scope, loop, keeping) or place.file.index.calls("set_grad_enabled"):
        return False
    callers = ev.callers(Function(place.file, place.scope)) if place.scope.kind == "function" else ()
    is_returned = any(
        one.value is not None and keeping.root in place.file.texts_in(one.value) for one in place.scope.returns
    )
    if is_returned and any(_leads_back(caller.place) for caller in callers):
        return False
    return all(records(caller.place) for caller in callers)


def _is_differentiated(keeping: Keeping) -> bool:
    """Tell whether the function differentiates the sum or list itself: then its graph is used up with it."""
    return _leads_back(keeping.place, keeping.root)


def _leads_back(place: Place, name: str = "") -> bool:
    """Tell whether a function calls `backward()` on what comes of an expression, or of a name, if not at once."""
    calls = [call for call, statement in place.file.calls_in_scope(place.scope) if _is_backward(call)]
    sources = [node for call in calls for node in (call.func, *call.args)]
    for _ in range(3):
        nodes = [node for source in sources for node in walk(source)]
        names = {written(node) for node in nodes if isinstance(node, (ast.Name, ast.Attribute))}
        if name in names or place.expression in nodes:
            return True
        bindings = (b for one in names for b in place.scope.bindings.get(one, ()))
        sources = [b.value for b in bindings if b.value is not None]
    return False


def _is_freed_with_backward(ev: Evaluator, place: Place) -> bool:
    """Tell whether only an arm that then detaches it goes back from a tensor: `if train: loss.backward(); loss = …`.

    Elsewhere no gradients are computed in the function, and whoever is given the sum may want them.
    """
    calls = ((call, statement) for call, statement in place.file.calls_in_scope(place.scope) if _is_backward(call))
    arms = [_is_arm_that_frees(ev, place, call, statement) for call, statement in calls]
    return bool(arms) and all(arms)


def _is_arm_that_frees(ev: Evaluator, place: Place, call: ast.Call, statement: ast.stmt) -> bool:
    name = written(place.expression)
    block, at = next(iter(place.file.index.blocks_around(statement)))
    inside = any(one.body is block.body for one, _ in place.file.index.blocks_around(place.statement))
    if inside or name not in map(written, (_owner(call), *call.args)):
        return False
    later = block.body[at + 1 :]
    given = [one for one in place.scope.bindings.get(name, ()) if one.statement in later and one.value is not None]
    values = (Place(place.file, one.value, one.statement) for one in given if one.value is not None)
    return bool(given) and all(_has_no_graph(ev.evaluate(value)) for value in values)


def _is_backward(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in {"backward", "manual_backward"}


def carries_graph(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is a tensor that holds on to what it was computed from."""
    if not records(place):
        return False
    possible = ev.evaluate(place)
    if _has_graph(possible):
        return True
    is_open = not possible or any(
        isinstance(one.value, Unknown) or (isinstance(one.value, Tensor) and one.value.graph is None)
        for one in possible
    )
    return is_open and _is_backward_from(place)


def _has_graph(possible: Possible) -> bool:
    return any(isinstance(one.value, Tensor) and one.value.graph is True for one in possible)


def _has_no_graph(possible: Possible) -> bool:
    tensors = [one.value for one in possible if isinstance(one.value, Tensor)]
    is_known = bool(possible) and not any(isinstance(one.value, Unknown) for one in possible)
    return is_known and all(tensor.graph is False for tensor in tensors)


def _is_backward_from(place: Place) -> bool:
    """Tell whether the function calls `backward()` on the very name: then it carries a graph, whatever it is."""
    if not isinstance(place.expression, ast.Name):
        return False
    calls = (call for call, _ in place.file.calls_in_scope(place.scope) if _is_backward(call))
    receivers = (node for call in calls for node in (_owner(call), *call.args))
    return any(written(node) == place.expression.id for node in receivers)


def _owner(call: ast.Call) -> ast.expr:
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func


def _handed_to_keepers(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield the arguments of a call that the function it calls adds to what it keeps."""
    for function in callees_of(ev, place):
        if not function.scope.is_method or not (kept := list(_kept_by(function))):
            continue
        caller, frame = Caller.of_call(place, 1), frame_for(place, function, MOST_FRAMES)
        for parameter in function.scope.parameters:
            if not parameter.star and any(_adds(ev, one, parameter.name, frame) for one in kept):
                yield from caller.argument(parameter) or ()


def _kept_by(function: Function) -> Iterator[Keeping]:
    """Yield what a method adds to an attribute that it does not start anew."""
    for keeping in keepings(function.file):
        is_own = keeping.place.scope is function.scope and keeping.container.startswith("self.")
        if is_own and not is_reset(function.file, function.scope, None, keeping):
            yield keeping


def _adds(ev: Evaluator, keeping: Keeping, name: str, frame: Frame | None = None) -> bool:
    """Tell whether a parameter, or a multiple of it, is added with the graph that came with it."""
    value = keeping.value
    if not _is_multiple_of(value.expression, name):
        return False
    there = value.within(frame)
    reached = reaching(value.file.index, value.scope.bindings[name], value.statement, ev.decide(there)).definitions
    if not any(one.kind == "parameter" for one in reached):
        return False
    # `if isinstance(value, Tensor): value = value.item()`: the call says which of the two is added.
    return frame is None or len(reached) == 1 or _has_graph(ev.evaluate(there))


def _is_multiple_of(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Name(id=found):
            return found == name
        case ast.BinOp(left=left, right=right):
            return _is_multiple_of(left, name) or _is_multiple_of(right, name)
        case _:
            return False
