"""Which file something was read from, and by which key it was taken out of what was in it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchlint.model.calls import Call, call_at
from torchlint.model.checkpoints.loading import loads_of
from torchlint.model.place import Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.variable_reads import named_reads
from torchlint.syntax.reaching_definitions import reaching

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_CHANGING = frozenset({"update", "pop", "get", "setdefault", "keys", "items"})


def taken(state: Place) -> tuple[Place, str | None]:
    """Return the checkpoint that something is taken out of, and the key."""
    match state.expression:
        case ast.Subscript(value=checkpoint, slice=ast.Constant(value=str(key))):
            return state.at(checkpoint), key
        case _:
            return state, None


_NO_LOAD: Call | None = None


def read_by(ev: Evaluator, checkpoint: Place, *, is_as_read: bool) -> Call | None:
    """Return the call of `torch.load` that reads a checkpoint.

    Where it is to be as it was read, nothing may have changed it since, or asked which keys it has.
    """
    call = call_at(checkpoint)
    if call is not None:
        is_load = any(load.call == call for load in loads_of(call.file))
        return call if is_load else _returned(ev, call, is_as_read)
    if not isinstance(checkpoint.expression, ast.Name):
        return None
    name = checkpoint.expression.id
    bindings = checkpoint.scope.bindings.get(name, ())
    found = reaching(checkpoint.file.index, bindings, checkpoint.statement, ev.decide(checkpoint))
    if len(found.definitions) != 1 or found.open:
        return None
    bound = found.definitions[0]
    if bound.kind != "assign" or bound.value is None or bound.selector:
        return None
    if is_as_read and _is_looked_into(checkpoint, name):
        return None
    made = Place(checkpoint.file, bound.value, bound.statement)
    return read_by(ev, made, is_as_read=is_as_read)


@tabled(_NO_LOAD)
def _returned(ev: Evaluator, call: Call, is_as_read: bool) -> Call | None:
    """Return the call of `torch.load` whose result a function of the project gives back."""
    functions = call.callees
    returns = functions[0].scope.returns if len(functions) == 1 else []
    if len(returns) != 1 or returns[0].value is None:
        return None
    given_back = Place(functions[0].file, returns[0].value, returns[0])
    return read_by(ev, given_back, is_as_read=is_as_read)


def _is_looked_into(checkpoint: Place, name: str) -> bool:
    """Tell whether the function asks which keys a checkpoint has, or changes them."""
    return any(_asks_keys(read) for read in named_reads(checkpoint.file, checkpoint.scope, name))


def _asks_keys(read: Place) -> bool:
    match read.file.parents_in(read.statement).get(read.expression):
        case ast.Attribute(attr=method):
            return method in _CHANGING
        case ast.Compare(ops=[ast.In() | ast.NotIn()]) | ast.Starred():
            return True
        case ast.Subscript(ctx=ctx):
            return not isinstance(ctx, ast.Load)
        case ast.Call(func=ast.Name(id=function)):
            return function in {"isinstance", "hasattr", "len", "list", "set", "dict"}
        case _:
            return False
