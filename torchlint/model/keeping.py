"""Where a step's graph is kept beyond the step: `total += loss`, `losses.append(loss)`, a meter that adds up."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.around import loops_around
from torchlint.model.callees import callees_of
from torchlint.model.callers import Caller
from torchlint.model.evaluation import every_evaluated_batch
from torchlint.model.place import Place
from torchlint.model.recording import records
from torchlint.model.scope import Scope
from torchlint.model.values import Function, Tensor, Unknown
from torchlint.model.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.sourcefile import SourceFile
    from torchlint.model.steps import Training

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True, slots=True)
class KeptGraph:
    """A tensor that is kept beyond its step with everything that it was computed from."""

    place: Place
    """The addition, the call of `append`, or the call that hands the tensor to whoever keeps it."""
    tensor: Place
    is_evaluated: bool = False
    """Whether an evaluation keeps it, which needs no graphs at all."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """A statement that adds a value to something that lives on: a sum, a list."""

    place: Place
    value: Place
    container: str


def kept_graphs(ev: Evaluator, training: Training, file: SourceFile) -> Iterator[KeptGraph]:
    """Yield where a file keeps graphs step after step, or batch after batch of an evaluation."""
    for keeping in _keepings(file):
        if _is_evaluated(ev, training, keeping) and carries_graph(ev, keeping.value):
            yield KeptGraph(keeping.place, keeping.value, is_evaluated=True)
    if file in training.files:
        yield from _kept_in_training(ev, training, file)


def _kept_in_training(ev: Evaluator, training: Training, file: SourceFile) -> Iterator[KeptGraph]:
    for keeping in _keepings(file):
        # Who hands a meter its loss can detach it; the meter cannot know.
        names = {parameter.name for parameter in keeping.place.scope.parameters}
        if any(_is_multiple_of(keeping.value.expression, name) for name in names):
            continue
        if _outlives(training, keeping) and carries_graph(ev, keeping.value) and not _is_differentiated(keeping):
            yield KeptGraph(keeping.place, keeping.value)
    for call, statement in file.index.expressions(ast.Call):
        place = Place(file, call, statement)
        if training.every_step(place) is None:
            continue
        for argument in _handed_to_keepers(ev, place):
            if carries_graph(ev, argument):
                yield KeptGraph(place, argument)


def _keepings(file: SourceFile) -> Iterator[Keeping]:
    for addition in file.index.statements(ast.AugAssign):
        if isinstance(addition.op, ast.Add):
            place = Place(file, addition.target, addition)
            yield Keeping(place, place.at(addition.value), written(addition.target))
    for assignment in file.index.statements(ast.Assign):
        yield from _written_out(file, assignment)
    for call, statement in file.index.calls("append"):
        if isinstance(call.func, ast.Attribute) and len(call.args) == 1:
            place = Place(file, call, statement)
            yield Keeping(place, place.at(call.args[0]), written(call.func.value))


def _written_out(file: SourceFile, statement: ast.Assign) -> Iterator[Keeping]:
    """Yield the addition that `total = total + loss` is."""
    match statement:
        case ast.Assign(targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
            text = written(target)
            place = Place(file, target, statement)
            # Long sums are not written out to see that they are no name.
            if type(left) is type(target) and text == written(left):
                yield Keeping(place, place.at(right), text)
            elif type(right) is type(target) and text == written(right):
                yield Keeping(place, place.at(left), text)


def _outlives(training: Training, keeping: Keeping) -> bool:
    """Tell whether something is added every step to what was there before the step, and will be there after it."""
    story = training.every_step(keeping.place)
    if story is None:
        return False
    place = keeping.place
    loop = _step_loop(training, place)
    if loop is None:
        is_attribute = "." in keeping.container and not _is_reset(place.file, place.scope, None, keeping)
        return is_attribute and not _starts_with_every_step(training, keeping)
    return not _is_reset(place.file, place.scope, loop, keeping)


def _starts_with_every_step(training: Training, keeping: Keeping) -> bool:
    """Tell whether another method that runs with every step starts an attribute anew: `self.state = zeros(…)`."""
    index = keeping.place.file.index
    scopes = {index.home[statement][0].scope for statement in _resets(keeping.place.file, keeping.container)}
    return any(scope is not keeping.place.scope and scope in training.functions for scope in scopes)


def _is_evaluated(ev: Evaluator, training: Training, keeping: Keeping) -> bool:
    """Tell whether an evaluation adds something with every batch while autograd records, whoever calls it."""
    place = keeping.place
    if every_evaluated_batch(ev, training, place) is None or not records(place) or _is_differentiated(keeping):
        return False
    loop = next(loops_around(place))
    if _is_reset(place.file, place.scope, loop, keeping) or place.file.index.calls("set_grad_enabled"):
        return False
    callers = ev.callers(Function(place.file, place.scope)) if place.scope.kind == "function" else ()
    return all(records(caller.place) for caller in callers)


def _step_loop(training: Training, place: Place) -> ast.stmt | None:
    for block, _ in place.file.index.blocks_around(place.statement):
        if isinstance(block.owner, _LOOPS) and block.owner in training.loops:
            return block.owner
    return None


def _is_reset(file: SourceFile, scope: Scope, loop: ast.stmt | None, keeping: Keeping) -> bool:
    """Tell whether a loop (or function) starts the sum or list anew, or empties it."""
    root = keeping.container.partition("[")[0]
    for statement in _resets(file, root):
        if statement is keeping.place.statement or file.index.home[statement][0].scope is not scope:
            continue
        if loop is None or _is_inside(file, statement, loop):
            return True
    return False


def _resets(file: SourceFile, name: str) -> Iterator[ast.stmt]:
    """Yield the statements that give a name another value, or empty what it holds."""
    for assignment in file.index.statements(ast.Assign):
        if any(written(target) == name for target in assignment.targets):
            yield assignment
    for call, statement in file.index.calls("clear"):
        if isinstance(call.func, ast.Attribute) and written(call.func.value) == name:
            yield statement


def _is_inside(file: SourceFile, statement: ast.stmt, loop: ast.stmt) -> bool:
    return any(block.owner is loop for block, _ in file.index.blocks_around(statement))


def _is_differentiated(keeping: Keeping) -> bool:
    """Tell whether the function differentiates the sum or list itself: then its graph is used up with it."""
    place = keeping.place
    wanted = {keeping.container.partition("[")[0]}
    calls = [call for call, statement in place.file.calls_in_scope(place.scope) if _is_backward(call)]
    sources = [node for call in calls for node in (call.func, *call.args)]
    for _ in range(3):
        names = {
            written(node) for source in sources for node in walk(source) if isinstance(node, (ast.Name, ast.Attribute))
        }
        if names & wanted:
            return True
        bindings = (b for name in names for b in place.scope.bindings.get(name, ()))
        sources = [b.value for b in bindings if b.value is not None]
    return False


def _is_backward(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in {"backward", "manual_backward"}


def carries_graph(ev: Evaluator, place: Place) -> bool:
    """Tell whether an expression is a tensor that holds on to what it was computed from."""
    if not records(place):
        return False
    possible = ev.evaluate(place)
    if any(isinstance(one.value, Tensor) and one.value.graph is True for one in possible):
        return True
    is_open = not possible or any(
        isinstance(one.value, Unknown) or (isinstance(one.value, Tensor) and one.value.graph is None)
        for one in possible
    )
    return is_open and _is_backward_from(place)


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
        if not function.scope.is_method:
            continue
        caller = Caller.of_call(place, 1)
        for parameter in function.scope.parameters:
            if not parameter.star and _keeps(function, parameter.name):
                yield from caller.argument(parameter) or ()


def _keeps(function: Function, name: str) -> bool:
    """Tell whether a method adds a parameter, or a multiple of it, to an attribute that it does not start anew."""
    for keeping in _keepings(function.file):
        if keeping.place.scope is not function.scope or not keeping.container.startswith("self."):
            continue
        if _is_multiple_of(keeping.value.expression, name) and not _is_reset(
            function.file, function.scope, None, keeping
        ):
            return True
    return False


def _is_multiple_of(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Name(id=found):
            return found == name
        case ast.BinOp(left=left, right=right):
            return _is_multiple_of(left, name) or _is_multiple_of(right, name)
        case _:
            return False
