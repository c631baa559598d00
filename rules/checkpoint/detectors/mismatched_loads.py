"""Loads that take something else out of a checkpoint than the project has saved in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.class_hierarchy import is_module, method_of
from torchlint.model.calls import Call, call_at, method_calls_of
from torchlint.model.checkpoints.loading import loads_of
from torchlint.model.guards.catching import is_tried
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.values.value_sets import Instance, Possibility
from torchlint.model.values.variable_reads import named_reads
from torchlint.pytorch.roles import Role
from torchlint.syntax.reaching_definitions import reaching

from .file_identity import ANY_FILE, files_of
from .saved_contents import Saved, saved_contents

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_CHANGING = frozenset({"update", "pop", "get", "setdefault", "keys", "items"})


@dataclass(frozen=True, slots=True)
class MismatchedLoad:
    """What is loaded, and the key by which it is taken out of the checkpoint, and what the project has saved there."""

    call: Call
    state: Place
    """The whole checkpoint, or what takes an item out of it."""
    key: str | None
    saved: Saved
    into_module: bool


def mismatched_loads(ev: Evaluator, file: ParsedFile) -> Iterator[MismatchedLoad]:
    """Yield the loads of a file that raise for what the project has saved into the same file, in source order."""
    for call in method_calls_of(file, frozenset({"load_state_dict"})):
        state = call.argument("state_dict", 0)
        if state is None or call.owner is None or is_tried(call):
            continue
        checkpoint, key = _taken(state)
        read = _read(ev, checkpoint, 0)
        path = read.argument("f", 0) if read is not None else None
        saved = _saved_there(ev, path) if path is not None else []
        if key is None and _is_strict(ev, call):
            is_wrong = bool(saved) and all(one.is_checkpoint for one in saved)
        else:
            is_wrong = key is not None and bool(saved) and all(_lacks(one, key) for one in saved)
        if is_wrong:
            yield MismatchedLoad(call, state, key, saved[0], ev.is_module(call.owner))


def _taken(state: Place) -> tuple[Place, str | None]:
    """Return the checkpoint that something is taken out of, and the key."""
    match state.expression:
        case ast.Subscript(value=checkpoint, slice=ast.Constant(value=str(key))):
            return state.at(checkpoint), key
        case _:
            return state, None


def _read(ev: Evaluator, checkpoint: Place, depth: int) -> Call | None:
    """Return the call of `torch.load` that reads a checkpoint, which nothing has changed or looked into since."""
    call = call_at(checkpoint)
    if call is not None:
        is_load = any(load.call == call for load in loads_of(call.file))
        return call if is_load else _returned(ev, call, depth)
    if not isinstance(checkpoint.expression, ast.Name):
        return None
    name = checkpoint.expression.id
    bindings = checkpoint.scope.bindings.get(name, ())
    found = reaching(checkpoint.file.index, bindings, checkpoint.statement, ev.decide(checkpoint))
    if len(found.definitions) != 1 or found.open or depth >= NESTED:
        return None
    bound = found.definitions[0]
    if bound.kind != "assign" or bound.value is None or bound.selector or _is_looked_into(checkpoint, name):
        return None
    return _read(ev, Place(checkpoint.file, bound.value, bound.statement), depth + 1)


def _returned(ev: Evaluator, call: Call, depth: int) -> Call | None:
    """Return the call of `torch.load` whose result a function of the project gives back."""
    functions = call.callees
    returns = functions[0].scope.returns if len(functions) == 1 else []
    if len(returns) != 1 or returns[0].value is None or depth >= NESTED:
        return None
    return _read(ev, Place(functions[0].file, returns[0].value, returns[0]), depth + 1)


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


def _saved_there(ev: Evaluator, path: Place) -> list[Saved]:
    """Return what the project saves into a file, nothing where it may be another one."""
    files = files_of(ev, path)
    if not files or files & ANY_FILE:
        return []
    saved = [one for one in ev.project.once(saved_contents) if one.files & (files | ANY_FILE)]
    known = frozenset().union(*(one.files for one in saved))
    return saved if files <= known else []


def _is_strict(ev: Evaluator, call: Call) -> bool:
    """Tell whether a call raises for keys that do not match: it fills a module or an optimizer as PyTorch does."""
    strict = call.argument("strict", 1)
    if call.is_open or (strict is not None and strict.literals != (True,)):
        return False
    possible = ev.evaluate(call.owner) if call.owner is not None else ()
    return bool(possible) and all(_is_filled(ev, one) for one in possible)


def _is_filled(ev: Evaluator, one: Possibility) -> bool:
    own = isinstance(one.value, Instance) and method_of(ev, one.value.kind, "load_state_dict") is not None
    return not own and (is_module(ev, one.value) or is_a(ev, one.value, Role.OPTIMIZER))


def _lacks(saved: Saved, key: str) -> bool:
    """Tell whether what is saved has no such key: a state dict has the names of parameters."""
    return saved.is_state or (saved.keys is not None and key not in saved.keys)
