"""Whether a call queues work for the GPU, waits for it, does neither, or cannot be known."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.call_graph.decorated import decorated_through
from torchlint.model.calls import call_at
from torchlint.model.containers.displays import elements_of
from torchlint.model.devices.moving import moved_to
from torchlint.model.parallel.wrappers import without_wrappers
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.values.parameter_contracts import is_open, made_by_contract
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import (
    HOST,
    Built,
    Class,
    Display,
    Function,
    Imported,
    Instance,
    Iterator as Elements,
    Possibility,
    Tensor,
    Tuple,
    Unknown,
    ValueSet,
)
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.distributions import is_distribution
from torchlint.pytorch.metadata import METADATA_METHODS
from torchlint.pytorch.moves import TO_GPU, TO_HOST
from torchlint.pytorch.roles import Role
from torchlint.pytorch.views import VIEWS, VIEWS_AT_TIMES
from torchlint.pytorch.waits import FACTS, WAITING_METHODS, WITHOUT_WORK
from torchlint.syntax.arguments import passed
from torchlint.syntax.last_names import last_name
from torchlint.syntax.walk import walk, written

from .implicit_effects import operations_in, queues, reads_in, waits_for
from .waiting import is_on_device, is_on_the_host, may_be_anything, may_be_on_device

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


class Effect(Enum):
    """The effect of a call on the queue of the GPU."""

    WORKS = "works"
    WAITS = "waits"
    UPLOADS = "uploads"
    """Waits for what was queued before it, once the copy is done."""
    NOTHING = "nothing"
    UNKNOWN = "unknown"


_WAITING = frozenset(
    {fact.call for fact in FACTS if fact.waits and fact.call.startswith("torch.") and "Tensor" not in fact.call}
)
# With any receiver: it is a tensor most likely, and the clock is not reported if it is none.
_WAITING_METHODS = WAITING_METHODS | {"block_until_ready"}
_CONVERSIONS = frozenset({"builtins.float", "builtins.int", "builtins.bool", "builtins.max", "builtins.min"})
_OF_PYTHON = frozenset({"append", "extend", "format", "join", "keys", "items", "values", "split", "strip"})
_HARMLESS_METHODS = METADATA_METHODS | WITHOUT_WORK | _OF_PYTHON
_COPYING = frozenset({*TO_HOST, "copy_"})


def effect_of(ev: Evaluator, call: Place) -> Effect:
    """Return the effect of a call on the queue of the GPU."""
    node = call.expression
    assert isinstance(node, ast.Call)
    name = last_name(node.func)
    if isinstance(node.func, ast.Attribute):
        if name in _WAITING_METHODS or (name == "step" and "scaler" in written(node.func.value).lower()):
            return Effect.WAITS
        if name == "backward":
            return Effect.NOTHING if _is_from_host(ev, call.at(node.func.value)) else Effect.WORKS
    outcomes = {_of_callee(ev, call, callee) for callee in _callees(ev, call.at(node.func))} or {Effect.UNKNOWN}
    if outcomes <= {Effect.UNKNOWN}:
        if isinstance(node.func, ast.Attribute):
            return _of_method(ev, call, name)
        if decorated := decorated_through(ev, call.at(node.func)):
            outcomes = {_of_function(ev, one) for one in decorated}
    return _gravest(outcomes)


def _callees(ev: Evaluator, function: Place) -> Iterator[Possibility]:
    """Yield what a call may run; unknown beside modules, it is a module."""
    possible = ev.evaluate(function)
    has_module = any(is_module(ev, one.value) for one in possible)
    if not has_module and isinstance(name := function.expression, ast.Name) and is_open(possible):
        possible = made_by_contract(ev, function.file, function.scope, name.id)
    yield from (one for one in possible if not (has_module and isinstance(one.value, Unknown)))


@tabled(False)
def _is_from_host(ev: Evaluator, tensor: Place) -> bool:
    """Tell whether everything that a tensor was computed from is on the host: it is there without a copy."""
    if not is_on_the_host(ev.evaluate(tensor)):
        return False
    inside = list(walk(tensor.expression))
    copied = (tensor.at(node.value) for node in inside if isinstance(node, ast.Attribute) and node.attr in _COPYING)
    if not all(is_on_the_host(ev.evaluate(one)) for one in copied):
        return False
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    bindings = (one for name in names for one in tensor.scope.bindings.get(name, ()))
    made = (Place(tensor.file, one.value, one.statement, tensor.frame) for one in bindings if one.value is not None)
    return all(_is_made_of_host(ev, one) for one in made)


def _is_made_of_host(ev: Evaluator, made: Place) -> bool:
    is_tensor = any(isinstance(one.value, Tensor) for one in ev.evaluate(made))
    return not is_tensor or _is_from_host(ev, made)


def _gravest(outcomes: set[Effect]) -> Effect:
    """Return the effect to assume: a wait before an unknown one, and that before work."""
    order = (Effect.WAITS, Effect.UNKNOWN, Effect.UPLOADS, Effect.WORKS)
    return next((one for one in order if one in outcomes), Effect.NOTHING)


def _of_callee(ev: Evaluator, call: Place, callee: Possibility) -> Effect:
    match callee.value:
        case Function() as function:
            return _of_function(ev, function)
        case Imported(name=name):
            return _of_imported(ev, call, canonical(name))
        case Built() | Instance() if is_module(ev, callee.value):
            return _of_module(ev, callee) if _is_on_gpu(ev, call) else Effect.UNKNOWN
        case Class() as kind:
            made = method_of(ev, kind, "__init__")
            return Effect.NOTHING if made is None else _of_function(ev, made)
        case Display(place=made) if isinstance(made.expression, ast.Lambda):
            return _of_lambda(ev, made)
        case Instance(kind=kind):
            called = method_of(ev, kind, "__call__", callee)
            return Effect.UNKNOWN if called is None else _of_function(ev, called)
        case _:
            return Effect.UNKNOWN


@tabled(Effect.NOTHING)
def _of_function(ev: Evaluator, function: Function) -> Effect:
    calls = [Place(function.file, call, at) for call, at in function.file.calls_in_scope(function.scope)]
    found = {effect_of(ev, call) for call in calls}
    if any(queues(ev, place) for place in operations_in(function.file, function.scope)):
        found.add(Effect.WORKS)
    if Effect.WAITS not in found and any(waits_for(ev, read) for read in reads_in(function.file, function.scope)):
        found.add(Effect.WAITS)
    return _gravest(found)


@tabled(Effect.NOTHING)
def _of_lambda(ev: Evaluator, made: Place) -> Effect:
    inside = [made.at(node) for node in walk(made.expression) if isinstance(node, (ast.Call, ast.BinOp))]
    found = {effect_of(ev, one) for one in inside if isinstance(one.expression, ast.Call)}
    if any(isinstance(one.expression, ast.BinOp) and queues(ev, one) for one in inside):
        found.add(Effect.WORKS)
    return _gravest(found)


def _of_module(ev: Evaluator, callee: Possibility) -> Effect:
    """Return the effect of calling a module: work, unless its `forward` is known to wait."""
    for one in without_wrappers(ev, callee):
        forward = method_of(ev, one.value.kind, "forward") if isinstance(one.value, Instance) else None
        if forward is not None and _of_function(ev, forward) is Effect.WAITS:
            return Effect.WAITS
    return Effect.WORKS


def _validates(call: Place) -> bool:
    """Tell whether a distribution checks its parameters: no argument turns that off."""
    assert isinstance(call.expression, ast.Call)
    told = passed(call.expression, "validate_args")
    return told is None or call.at(told).literals != (False,)


def _of_imported(ev: Evaluator, call: Place, name: str) -> Effect:
    if name in _WAITING or (is_distribution(name) and _validates(call)):
        return Effect.WAITS
    if name.startswith("torch."):
        return Effect.WORKS if is_on_device(ev.evaluate(call)) and _is_on_gpu(ev, call) else Effect.NOTHING
    if name in _CONVERSIONS and _is_on_gpu(ev, call):
        return Effect.WAITS
    if name.startswith("builtins."):
        return Effect.NOTHING
    arguments = [ev.evaluate(call.at(one)) for one in _arguments(call)]
    return Effect.UNKNOWN if any(may_be_on_device(one) or may_be_anything(one) for one in arguments) else Effect.NOTHING


def _of_method(ev: Evaluator, call: Place, name: str) -> Effect:
    """Return the effect of a method whose source is not in the project."""
    assert isinstance(call.expression, ast.Call)
    assert isinstance(call.expression.func, ast.Attribute)
    owners = ev.evaluate(call.at(call.expression.func.value))
    if name in TO_GPU:
        return _of_move(ev, call, owners)
    if name in _HARMLESS_METHODS or name in VIEWS or name in VIEWS_AT_TIMES:
        return Effect.NOTHING
    if name == "copy_" and (effect := _of_copy(ev, call, owners)) is not None:
        return effect
    if name == "step":
        return Effect.WORKS if any(is_a(ev, one.value, Role.OPTIMIZER) for one in owners) else Effect.UNKNOWN
    if is_on_device(owners) and is_on_device(ev.evaluate(call)):
        return Effect.WORKS
    known = bool(owners) and not any(isinstance(one.value, (Unknown, Instance)) for one in owners)
    return Effect.NOTHING if known else Effect.UNKNOWN


def _of_move(ev: Evaluator, call: Place, owners: ValueSet) -> Effect:
    """Return the effect of `x.to(device)`: a copy to the host waits for all work before it, also of an unknown `x`."""
    moving = call_at(call)
    if moving is None or moved_to(ev, moving, moving.method, None) != HOST:
        return Effect.UPLOADS
    flag = moving.keywords.get("non_blocking")
    is_blocking = flag is None or flag.literals == (False,)
    return Effect.WAITS if is_blocking and (may_be_on_device(owners) or may_be_anything(owners)) else Effect.NOTHING


def _of_copy(ev: Evaluator, call: Place, owners: ValueSet) -> Effect | None:
    """Return the effect of `x.copy_(y)` if one of them is on the host and the other on the device."""
    given = [ev.evaluate(call.at(one)) for one in _arguments(call)][:1]
    on_the_host = [is_on_the_host(possible) for possible in (owners, *given)]
    if on_the_host == [True, False] and may_be_on_device(given[0]):
        return Effect.NOTHING if passed(call.expression, "non_blocking", 1) is not None else Effect.WAITS
    return Effect.UPLOADS if on_the_host == [False, True] and may_be_on_device(owners) else None


def _is_on_gpu(ev: Evaluator, call: Place) -> bool:
    """Tell whether an argument of a call is a tensor that may be on a GPU, by itself or in a list."""
    for argument in _arguments(call):
        possible = ev.evaluate(call.at(argument))
        inner = tuple(one for one in possible if isinstance(one.value, (Display, Tuple, Elements)))
        if may_be_on_device(possible) or may_be_on_device(elements_of(ev, inner)):
            return True
    return False


def _arguments(call: Place) -> Iterator[ast.expr]:
    assert isinstance(call.expression, ast.Call)
    for argument in call.expression.args:
        yield argument.value if isinstance(argument, ast.Starred) else argument
    yield from (word.value for word in call.expression.keywords)
