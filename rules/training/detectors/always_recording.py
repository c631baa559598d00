"""Whether autograd surely records at a place: on every known path of a program there.

https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disabling-gradient-computation
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.inference.limits import FAR
from torchlint.model.call_graph.callers import object_callers_of
from torchlint.model.place import Place
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.value_sets import Function, Imported
from torchlint.pytorch.grad_modes import GRAD_MODES
from torchlint.syntax.around import contexts_around, function_around
from torchlint.syntax.last_names import callee_name, last_name, root_of
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Text that enters a context manually.
_BY_HAND = ("no_grad().__enter__", "enter_context(torch.no_grad", "enter_context(torch.inference_mode")
_PLAIN = frozenset({"staticmethod", "classmethod", "property", "abstractmethod", "override", "main", "setter"})
# A callee with one of these names calls its function argument right there, or at the start of a process.
_CALLING = frozenset({"apply", "map", "spawn", "start_processes", "Process", "Thread", "run", "main", "fire", "Fire"})


def always_records(ev: Evaluator, place: Place) -> bool:
    """Tell whether autograd records at a place, in every call context, as far as all callers are known."""
    return _records(ev, place, ()) is True and not ev.project.once(is_switched_off)


def records_as_written(ev: Evaluator, place: Place) -> bool:
    """Tell whether nothing in view disables recording at a place, even if there are no callers in view."""
    return _records(ev, place, ()) is not False and not ev.project.once(is_switched_off)


def is_left_recording(ev: Evaluator, place: Place) -> bool:
    """Tell whether the function around a place changes nothing of how its caller records."""
    return _is_recorded_inside(ev, place) and _is_plain(function_around(place))


def is_switched_off(ev: Evaluator) -> bool:
    """Tell whether a program may disable recording for good, without a block around what is not recorded."""
    library = ev.project.library
    if any(library.holding(text) for text in _BY_HAND):
        return True
    for path in library.holding("set_grad_enabled"):
        file = ev.project.parsed(path)
        for name in ("set_grad_enabled", "_set_grad_enabled") if file is not None else ():
            assert file is not None
            if any(isinstance(at, ast.Expr) and at.value is call for call, at in file.index.calls(name)):
                return True
    return False


def _records(ev: Evaluator, place: Place, seen: tuple[Scope, ...]) -> bool | None:
    """Tell whether autograd records at a place, None if no callers are known."""
    if not _is_recorded_inside(ev, place):
        return False
    scope = function_around(place)
    if scope is None or scope in seen:
        return True
    if len(seen) >= FAR or not _is_plain(scope):
        return False
    return _is_called_recording(ev, place, (*seen, scope))


def _is_recorded_inside(ev: Evaluator, place: Place) -> bool:
    return is_recorded(place) and all(_keeps_recording(ev, place.at(node)) for node, _ in contexts_around(place))


def _keeps_recording(ev: Evaluator, context: Place) -> bool:
    """Tell whether a `with` leaves the mode of autograd unchanged: one of PyTorch, or of Python."""
    node = context.expression
    function = node.func if isinstance(node, ast.Call) else node
    if _may_stop_recording(last_name(function)):
        return False
    names = [one.value.name if isinstance(one.value, Imported) else "" for one in ev.evaluate(context.at(function))]
    return bool(names) and all(
        name.startswith(("torch.", "builtins.")) and not _may_stop_recording(name.rpartition(".")[2]) for name in names
    )


def _may_stop_recording(name: str) -> bool:
    mode = GRAD_MODES.get(name)
    return mode is not None and (mode.is_passed or not mode.records)


def _is_plain(scope: Scope | None) -> bool:
    """Tell whether no decorator of a function, or of an enclosing one, may run it without recording."""
    while scope is not None and scope.kind == "function":
        for node in scope.decorators:
            function = node.func if isinstance(node, ast.Call) else node
            if last_name(function) not in _PLAIN and last_name(root_of(function)) != "torch":
                return False
        scope = scope.outer
    return True


def _is_called_recording(ev: Evaluator, place: Place, seen: tuple[Scope, ...]) -> bool | None:
    """Tell whether every known call of the function around a place is recorded, None if none is known."""
    scope = seen[-1]
    function = Function(place.file, scope)
    callers = [caller.place for caller in ev.callers(function)] or [
        caller.place for caller in object_callers_of(ev, function)
    ]
    if not callers:
        # Objects are hardly constructed in a block that records nothing.
        return True if scope.is_method and scope.name == "__init__" else None
    outcomes = [_records(ev, one, seen) if _calls(one, scope) else False for one in callers]
    return False if False in outcomes else None if None in outcomes else True


def _calls(place: Place, scope: Scope) -> bool:
    """Tell whether a caller calls the function there, and does not keep it for later."""
    call = place.expression
    assert isinstance(call, ast.Call)
    arguments = (*call.args, *(word.value for word in call.keywords))
    is_given = any(last_name(argument) == scope.name for argument in arguments)
    return not is_given or callee_name(call) in _CALLING
