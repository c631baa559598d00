"""Optimizers that get their state while the module is on the host, and keep it there when the module is moved.

The parameters of a module that is moved stay the same objects, so that an optimizer continues to update them; its state
for them is not moved. `load_state_dict` puts that on the device of the parameter at the time
(torch/optim/optimizer.py), and Adagrad makes it at once. Checked on torch 2.13.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.callers import callers_of
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.call_graph.importing import imported_files
from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.devices.moving import moved_by
from torchlint.model.facts import fact_of_each_file
from torchlint.model.guards.contradictions import exclude_each_other
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.place import Caller, Place
from torchlint.model.roles import are_all
from torchlint.model.values.frames import frame_for
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import HOST, Built, Frame, Function, Possibility
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.moves import TO_GPU
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import OPTIM
from torchlint.syntax.arguments import passed
from torchlint.syntax.around import arguments_of
from torchlint.syntax.walk import walk, written

from .gpu_premises import goes_to_gpu

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope

_AT_ONCE = f"{OPTIM}Adagrad"
_WITHOUT_MOMENTUM = f"{OPTIM}SGD"
_DEEP = 2
# Code that moves the state manually iterates over it.
_BY_HAND = (".state.values(", ".state.items(", ".state[", "optimizer_to(", "optim_to(")


@dataclass(frozen=True, slots=True)
class LeftState:
    """A state that an optimizer gets while its module is on the host."""

    place: Place
    """Where it gets the state: `optimizer.load_state_dict(…)`, a call that leads there, or `Adagrad(…)`."""
    moved: Place
    """Where the module is moved afterwards."""
    move: Place
    """The call that moves it, in a function that is called there."""

    @property
    def premises(self) -> tuple[Step, ...]:
        """Return the step that assumes that the module goes to a GPU, unless a line shows it."""
        return goes_to_gpu(self.move.file.project.evaluator(WITH_CUDA), self.move)


@fact_of_each_file
def left_states(ev: Evaluator) -> dict[str, list[LeftState]]:
    """Return the states of optimizers that stay on the host, by file."""
    by_path: dict[str, list[LeftState]] = {}
    found = {left.place.key: left for event, owner in _given(ev) for left in _left(ev, event, owner)}
    for left in sorted(found.values(), key=lambda one: one.place.key):
        if not _moves_manually(ev, left.place):
            by_path.setdefault(left.place.path, []).append(left)
    return by_path


def _moves_manually(ev: Evaluator, place: Place) -> bool:
    """Tell whether the file of a place, or one that it imports, iterates over the states of optimizers."""
    files = {place.file.location, *imported_files(ev, place.file.location)}
    return any(not files.isdisjoint(ev.project.library.holding(text)) for text in _BY_HAND)


_NONE: tuple[tuple[Place, Place], ...] = ()


def _given(ev: Evaluator) -> Iterator[tuple[Place, Place]]:
    """Yield where optimizers get a state, each with the expression for the optimizer there."""
    for call in calls_anywhere(ev.project, "load_state_dict"):
        if call.owner is not None and _all_optimizers(ev, call.owner):
            yield from _by_callers(ev, call, call.owner)
    if ev.project.library.holding("Adagrad"):
        for call in calls_anywhere(ev.project, "parameters"):
            around = call.file.parents_in(call.statement).get(call.expression)
            made = call.at(around) if isinstance(around, ast.Call) else None
            if made is not None and {_name(one) for one in ev.evaluate(made)} == {_AT_ONCE}:
                yield made, made


@tabled(_NONE)
def _by_callers(ev: Evaluator, event: Place, owner: Place) -> tuple[tuple[Place, Place], ...]:
    """Return an event, and the calls of its function if the optimizer is a parameter of that."""
    found = [(event, owner)]
    parameter = next((one for one in owner.scope.parameters if one.name == owner.code), None)
    callers = callers_of(ev, Function(owner.file, owner.scope)) if parameter is not None else ()
    for caller in callers:
        for argument in (caller.argument(parameter) if parameter is not None else None) or ():
            found += _by_callers(ev, caller.place, argument)
    return tuple(found)


def _left(ev: Evaluator, event: Place, owner: Place) -> Iterator[LeftState]:
    """Yield the first move of the module after an event, if nothing has moved it before."""
    possible = ev.evaluate(owner)
    modules = {_module(event, one) for one in possible}
    module = modules.pop() if len(modules) == 1 else None
    if module is None or not _is_on_host(ev, module) or not is_reachable(ev, event):
        return
    move, inner = min(_moves(ev, module), key=lambda moved: moved[0].line, default=(None, None))
    if (
        move is None
        or inner is None
        or move.line <= event.line
        or exclude_each_other(event, move)
        or not is_reachable(ev, move)
    ):
        return
    # Who loads it only because the checkpoint is read that way, as for an evaluation, never steps.
    if _is_used_after(owner) and not _is_given_again(event, owner, move):
        yield LeftState(event, move, inner)


def _module(event: Place, optimizer: Possibility) -> Place | None:
    """Return the module of an optimizer's parameters that was made in the function of an event, before it."""
    made = optimizer.origin
    # Before one is made there may be none: `optimizer = None`.
    if made is None or not isinstance(made.expression, ast.Call):
        return None
    if (made.file, made.scope) != (event.file, event.scope) or not _keeps_state(made, optimizer):
        return None
    given = passed(made.expression, "params", 0)
    owners = [
        node.func.value
        for node in (walk(given) if given is not None else ())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parameters"
    ]
    return event.at(owners[0]) if len({written(owner) for owner in owners}) == 1 else None


def _keeps_state(made: Place, optimizer: Possibility) -> bool:
    """Tell whether an optimizer has a state for each parameter: plain SGD does not."""
    if _name(optimizer) != _WITHOUT_MOMENTUM:
        return True
    momentum = passed(made.expression, "momentum", 2)
    return momentum is not None and made.at(momentum).literals not in {(0,), (0.0,), None}


def _is_on_host(ev: Evaluator, module: Place) -> bool:
    """Tell whether a module was made and not moved, as far as is known."""
    possible = ev.evaluate(module)
    is_known = bool(possible) and all(is_module(ev, one.value) for one in possible)
    return is_known and ev.residence(module) in {None, HOST}


def _moves(ev: Evaluator, module: Place) -> Iterator[tuple[Place, Place]]:
    """Yield the calls of a function that move a module, or pass it to a function that does; but not to the host.

    Each comes with the call that moves it, there or in that function.
    """
    yield from ((call, call) for call in _moved_by_calls(ev, module.file, module.scope, module.code))
    for node, statement in module.file.calls_in_scope(module.scope):
        call = Place(module.file, node, statement)
        is_given = any(module.code == written(one) for one in arguments_of(call))
        if is_given and (move := _move_within(ev, call, module)) is not None:
            yield call, move


def _move_within(ev: Evaluator, call: Place, module: Place) -> Place | None:
    """Return how the function of a call surely moves a module that it is given, if it loads no state afterwards."""
    functions = list(callees_of(ev, call))
    frame = frame_for(call, functions[0], _DEEP) if len(functions) == 1 else None
    if frame is None or frame.call is None:
        return None
    (function,), caller = functions, Caller.of_frame(frame, call)
    passed_as = [one.name for one in function.scope.parameters if _is_passed(caller.argument(one), module)]
    moves = (one for name in passed_as for one in _moved_by_calls(ev, function.file, function.scope, name, frame))
    if function.file.calls_of(function.scope, "load_state_dict"):
        return None
    home = function.file.index.home
    return next((move for move in moves if home[move.statement][0].owner is function.scope.node), None)


def _is_passed(arguments: tuple[Place, ...] | None, module: Place) -> bool:
    return any(one.code == module.code for one in arguments or ())


def _moved_by_calls(
    ev: Evaluator, file: ParsedFile, scope: Scope, name: str, frame: Frame | None = None
) -> Iterator[Place]:
    """Yield the calls of a function that move what has a name there, itself or in a wrapper, but not to the host."""
    for method in TO_GPU:
        for node, statement in file.index.calls(method):
            call = Call(file, node, statement, frame)
            is_same = call.scope is scope and call.owner is not None and _is_of(call.owner.expression, name)
            if is_same and (moved := moved_by(ev, call, method, None)) is not None and moved.device != HOST:
                yield call


def _is_of(owner: ast.expr, module: str) -> bool:
    """Tell whether an expression is the name of a module, or `DataParallel(module)`."""
    if isinstance(owner, ast.Call) and owner.args:
        return _is_of(owner.args[0], module)
    return written(owner) == module


def _is_used_after(owner: Place) -> bool:
    """Tell whether an optimizer is read further down, or by a function inside the one around it."""
    inner = (one for one in owner.file.index.scopes if one.outer is owner.scope and one.kind == "function")
    is_named = isinstance(owner.expression, ast.Name)
    return not is_named or owner.is_read_below or any(owner.code in owner.file.reads_in(one.node) for one in inner)


def _is_given_again(event: Place, owner: Place, move: Place) -> bool:
    """Tell whether the optimizer is made again or gets its state again after the move."""
    calls = event.file.index.calls("load_state_dict")
    owners = ((call.func.value, at) for call, at in calls if isinstance(call.func, ast.Attribute))
    loads = [at for filled, at in owners if written(filled) == owner.code]
    stores = [one.statement for one in event.scope.bindings.get(owner.code, ())]
    return any(statement.lineno > move.line for statement in (*loads, *stores))


def _all_optimizers(ev: Evaluator, owner: Place) -> bool:
    possible = ev.evaluate(owner)
    return are_all(ev, possible, Role.OPTIMIZER) and all(isinstance(one.value, Built) for one in possible)


def _name(one: Possibility) -> str:
    return one.value.name if isinstance(one.value, Built) else ""
