"""What functions read under global names that are bound again after the last call: `train()`, `net = load()`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.place import Caller, Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Function
from torchlint.syntax.definitions import Reaching
from torchlint.syntax.reaching_definitions import at_end, reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator
    from torchlint.syntax.scope import Binding, Scope


_NONE_HELD: tuple[Binding, ...] | None = ()


def held_outside(ev: Evaluator, place: Place, scope: Scope, name: str) -> Reaching[Binding]:
    """Return the bindings of a name of a scope around a function that may hold while the function runs.

    Those are the last ones: functions run when their file is loaded. If only the body of its file calls the function,
    they are those above its calls.
    """
    last = at_end(place.file.index, scope, name, ev.decide(place))
    bindings = scope.bindings[name]
    is_rebound = any(one.kind == "assign" and one not in last.definitions for one in bindings)
    if not is_rebound or scope.kind != "file" or place.scope.outer is not scope:
        return last
    return Reaching(held, False) if (held := _held_at_calls(ev, place, name)) else last


@tabled(_NONE_HELD)
def _held_at_calls(ev: Evaluator, place: Place, name: str) -> tuple[Binding, ...] | None:
    """Return the bindings that hold at the calls of a function, None if others may call it, or later."""
    function = place.scope
    if function.kind != "function" or function.yields or function.is_method:
        return None
    held = [_held_at(ev, place, caller, name) for caller in ev.callers(Function(place.file, function))]
    if not held or None in held:
        return None
    return tuple(dict.fromkeys(binding for bindings in held for binding in bindings or ()))


def _held_at(ev: Evaluator, place: Place, caller: Caller, name: str) -> tuple[Binding, ...] | None:
    call = caller.place
    is_plain = isinstance(call.expression, ast.Call) and caller == Caller.of_call(call, 0)
    if not is_plain or call.file is not place.file:
        return None
    if call.scope.kind == "file":
        return reaching(call.file.index, call.scope.bindings[name], call.statement, ev.decide(call)).definitions
    if call.scope is place.scope:
        return ()
    return _held_at_calls(ev, call, name)
