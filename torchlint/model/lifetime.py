"""What may have happened to an object before a place is reached.

For one that lives in one function only, the methods called there may have run, and what they call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.index import last_name
from torchlint.model.scope import Scope, Store
from torchlint.model.torch_facts import MODULE, WRAPPERS, canonical
from torchlint.model.values import Class, Imported, Instance, Possibility

if TYPE_CHECKING:
    from torchlint.model.evaluator import Evaluator
    from torchlint.model.place import Place

# Bases outside the project that call none of an object's own methods but `forward`.
_QUIET_BASES = frozenset({"object", MODULE, "abc.ABC", "typing.Generic", "typing.Protocol"})
_WRAPPING = frozenset(name.rpartition(".")[2] for name in WRAPPERS)


def is_wrapped_later(place: Place, store: Store) -> bool:
    """Tell whether a store wraps an attribute further down in the function that a place reads it in.

    `self.model = DistributedDataParallel(self.model)` finds a bare model, however often the function runs: what is read
    above it is not wrapped either.
    """
    index, value = place.file.index, store.value
    if not isinstance(value, ast.Call) or last_name(value.func) not in _WRAPPING or not value.args:
        return False
    wraps_itself = isinstance(store.key, str) and last_name(value.args[0]) == store.key
    is_below = store.statement in index.home and store.statement.lineno > place.statement.lineno
    return wraps_itself and is_below and index.home[store.statement][0].scope is place.scope


def may_have_run(ev: Evaluator, owner: Possibility, method: Scope) -> bool:
    """Tell whether a method may have run for an object: where the object goes elsewhere, any may."""
    assert isinstance(owner.value, Instance)
    if method.name == "forward" or method.name.startswith("__") or owner.origin is None:
        return True
    touched = _touched(ev, owner.origin)
    if touched is None:
        return True
    classes = list(_classes(ev, owner.value.kind))
    return None in classes or method.name in _reached(touched, [one for one in classes if one is not None])


def _touched(ev: Evaluator, origin: Place) -> frozenset[str] | None:
    """Return the attributes that may be read of an object that a function builds for itself, None where any may."""
    match origin.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is origin.expression:
            pass
        case _:
            return None
    if origin.scope.kind != "function" or name in origin.scope.outside:
        return None
    reads = origin.file.reads_in(origin.scope.node).get(name)
    if reads is None:
        return frozenset()
    touched = set(reads.attributes)
    passed = {argument: (call, statement) for call, argument, statement in origin.file.mentions(name)}
    for read in reads.whole:
        if read not in passed or (names := _read_by_callee(ev, origin, *passed[read])) is None:
            return None
        touched |= names
    return frozenset(touched)


def _read_by_callee(ev: Evaluator, origin: Place, call: ast.Call, statement: ast.stmt) -> frozenset[str] | None:
    """Return the attributes that a call may read of what it is given: those that its file reads of anything."""
    functions = ev.callees(origin.file.place(call, statement))
    if not functions:
        return None
    return frozenset().union(*(function.file.attributes_in(function.file.tree) for function in functions))


def _classes(ev: Evaluator, kind: Class) -> Iterator[Class | None]:
    """Yield a class and its bases in the project, and None for a base that may call anything."""
    yield kind
    assert isinstance(kind.scope.node, ast.ClassDef)
    for base in kind.scope.node.bases:
        possible = ev.evaluate(kind.file.place(base, kind.scope.node))
        for one in possible:
            match one.value:
                case Class() as parent if parent.scope is not kind.scope:
                    yield from _classes(ev, parent)
                case Imported(name=name) if canonical(name) in _QUIET_BASES:
                    pass
                case _:
                    yield None


def _reached(touched: frozenset[str], classes: list[Class]) -> set[str]:
    """Return the names of what may run: attributes that were touched, and those that the methods behind them read."""
    methods: dict[str, set[str]] = {}
    for kind in classes:
        for statement in kind.scope.node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                methods.setdefault(statement.name, set()).update(kind.file.attributes_in(statement))
    always = {name for name in methods if name.startswith("__") or name == "forward"}
    found: set[str] = set()
    pending = [*touched, *always]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(methods.get(name, ()))
    return found
