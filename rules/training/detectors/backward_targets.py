"""Where `backward()` starts from a tensor: right there, below in its function, or in a caller."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.headers import name_of
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Function, Tensor, Unknown
from torchlint.pytorch.backward import BACKWARD, ON_THE_WAY
from torchlint.syntax.last_names import callee_name, last_name
from torchlint.syntax.walk import is_written, walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_HOOKS = frozenset({"training_step", "compute_loss"})


def direct_backward(place: Place) -> Place | None:
    """Return the `backward()` call on the expression itself: `loss.requires_grad_().backward()`."""
    parents = place.file.parents_in(place.statement)
    method = parents.get(place.expression)
    call = parents.get(method) if isinstance(method, ast.Attribute) and method.attr in BACKWARD else None
    return place.at(call) if isinstance(call, ast.Call) and not call.args else None


def differentiating_call(ev: Evaluator, place: Place, tensor: Place) -> Place | None:
    """Return where `backward()` starts from what an expression is assigned to, or from a tensor that it changes."""
    names = place.bound_to or ((tensor.code,) if _is_for_itself(place) else ())
    for name in names:
        if (found := _below(place, name)) is not None:
            return None if _is_gradient(ev, found) else found
    is_given = place.is_returned or any(_returns(place, name) for name in names)
    return _by_callers(ev, place) if is_given and place.scope.kind == "function" else None


def _is_gradient(ev: Evaluator, back: Place) -> bool:
    """Tell whether the argument of a `backward()` may be a gradient, and no loss: `outputs.backward(gradient)`."""
    call = back.expression
    if not isinstance(call, ast.Call) or not call.args or not isinstance(call.func, ast.Attribute):
        return False
    owner = back.at(call.func.value)
    if any(isinstance(one.value, Tensor) for one in ev.evaluate(owner)):
        return True
    bindings = back.scope.bindings.get(owner.code, ()) if back.scope.kind == "function" else ()
    computed = [one for one in bindings if one.kind == "assign" and one.value is not None and not one.selector]
    is_open = all(isinstance(one.value, Unknown) for one in ev.evaluate(owner))
    return is_open and bool(computed)


def _is_for_itself(place: Place) -> bool:
    return isinstance(place.statement, ast.Expr) or isinstance(place.expression, ast.Name | ast.Attribute)


def _below(place: Place, name: str) -> Place | None:
    """Return the `backward()` call on a name below in the function, if the name is not rebound in between."""
    for call, statement in place.file.calls_in_scope(place.scope):
        if call.lineno >= place.line and any(is_written(node, name) for node in started_from(call)):
            return None if _is_bound_between(place, name, statement) else Place(place.file, call, statement)
    return None


def started_from(call: ast.Call) -> Iterator[ast.expr]:
    """Yield what `backward()` starts from: `loss` of `scaler.scale(loss).backward()`, `accelerator.backward(loss)`."""
    if callee_name(call) not in BACKWARD or not isinstance(call.func, ast.Attribute):
        return
    node = call.func.value if not call.args else call.args[0]
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ON_THE_WAY:
        yield from node.args[:1]
        node = node.func.value
    yield node


def _is_bound_between(place: Place, name: str, back: ast.stmt) -> bool:
    """Tell whether a name is rebound in between to something that is not computed from its value."""
    for binding in place.scope.bindings.get(name, ()):
        is_between = place.line < binding.statement.lineno < back.lineno
        if is_between and (binding.value is None or binding.kind != "augment") and not _reads(binding.value, name):
            return True
    return False


def _reads(value: ast.expr | None, name: str) -> bool:
    return value is not None and any(isinstance(node, ast.Name) and node.id == name for node in walk(value))


def _returns(place: Place, name: str) -> bool:
    """Tell whether the function returns the value of a name, alone or first of several."""
    for statement in place.scope.returns if place.scope.kind == "function" else ():
        value = statement.value
        parts = value.elts if isinstance(value, ast.Tuple) else value.values if isinstance(value, ast.Dict) else [value]
        if statement.lineno >= place.line and any(part is not None and written(part) == name for part in parts):
            return True
    return False


def _by_callers(ev: Evaluator, place: Place) -> Place | None:
    """Return where a caller starts `backward()` from the result, or the function for whose result a framework does."""
    if (hook := hook_around(ev, place)) is not None:
        return hook
    for caller in ev.callers(Function(place.file, place.scope)):
        names = caller.place.bound_to or _first_bound(caller.place)
        for name in names:
            if (found := _below(caller.place, name)) is not None:
                return found
        if (found := direct_backward(caller.place)) is not None:
            return found
    return None


def hook_around(ev: Evaluator, place: Place) -> Place | None:
    """Return the function around a place, if a framework calls `backward()` on its result: `training_step`."""
    scope = place.scope
    if scope.is_method and scope.name in _HOOKS and scope.outer is not None:
        bases = [one for one in family(ev, Class(place.file, scope.outer)) if isinstance(one, str)]
        if any(last_name_of(base) in {"LightningModule", "Trainer"} for base in bases):
            return name_of(place.file, scope)
    return None


def last_name_of(dotted: str) -> str:
    """Return the last part of a dotted name."""
    return dotted.rpartition(".")[2]


def _first_bound(place: Place) -> tuple[str, ...]:
    match place.statement:
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value) if value is place.expression:
            return tuple(name for part in parts if (name := last_name(part)))
        case _:
            return ()
