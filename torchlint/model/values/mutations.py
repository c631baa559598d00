"""Which methods may have run on an object before a place is reached.

If an object lives in one function only, or in those that a factory returns it to, only the methods called there may
have run, and what they call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.place import Caller, Place
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Function, Imported, Instance, Possibility
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.symbols import MODULE
from torchlint.pytorch.wrappers import wraps_by_word
from torchlint.syntax.around import is_self
from torchlint.syntax.closure import closure
from torchlint.syntax.last_names import last_name
from torchlint.syntax.scope import Scope, Store

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

# Bases outside the project that call none of an object's methods but `forward`.
_QUIET_BASES = frozenset({"object", MODULE, "abc.ABC", "typing.Generic", "typing.Protocol"})
# Factories that call factories.
_UNTOUCHED: frozenset[str] | None = frozenset()


def is_wrapped_later(place: Place, store: Store) -> bool:
    """Tell whether a store wraps an attribute below a place in the same function.

    `self.model = DistributedDataParallel(self.model)` finds a bare model whenever the function runs: what is read above
    it is not wrapped either.
    """
    index, value = place.file.index, store.value
    if not isinstance(value, ast.Call) or not wraps_by_word(last_name(value.func)) or not value.args:
        return False
    wraps_itself = isinstance(store.key, str) and last_name(value.args[0]) == store.key
    is_below = store.statement in index.home and store.statement.lineno > place.statement.lineno
    return wraps_itself and is_below and index.home[store.statement][0].scope is place.scope


def may_have_run(ev: Evaluator, owner: Possibility, method: Scope) -> bool:
    """Tell whether a method may have run on an object: if the object escapes, any may."""
    assert isinstance(owner.value, Instance)
    if method.name == "forward" or method.name.startswith("__") or owner.origin is None:
        return True
    reached = _reached(ev, owner.origin, owner.value.kind)
    return reached is None or method.name in reached


def is_replaced(ev: Evaluator, method: Scope, kind: Class, nearer: Iterable[Class]) -> bool:
    """Tell whether a subclass overrides the method, and no class there calls the one of this class.

    `nearer` are the classes of an object that come before this one.
    """
    if method.name.startswith("__"):
        return False
    below = [one for one in nearer if kind in family(ev, one)]
    is_overridden = any(b.kind == "function" for one in below for b in one.scope.bindings.get(method.name, ()))
    return is_overridden and not any(_calls_inherited(one, method.name) for one in below)


def _calls_inherited(kind: Class, name: str) -> bool:
    """Tell whether a class calls a method otherwise than on `self`: `super().setup()`, `Base.setup(self)`."""
    for call, statement in kind.file.index.calls(name):
        scope = kind.file.index.home[statement][0].scope
        if scope.outer is kind.scope and not (isinstance(call.func, ast.Attribute) and is_self(call.func.value)):
            return True
    return False


@tabled(_UNTOUCHED)
def _touched(ev: Evaluator, made: Place) -> frozenset[str] | None:
    """Return the attributes that may be read of an object that a function makes or receives; None for any."""
    match made.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is made.expression:
            return _touched_by_name(ev, made, name)
        case ast.Return(value=value) if value is made.expression:
            return _touched_by_callers(ev, made)
        case _:
            return None


def _touched_by_name(ev: Evaluator, made: Place, name: str) -> frozenset[str] | None:
    if made.scope.kind != "function" or name in made.scope.outside:
        return None
    reads = made.file.reads_in(made.scope.node).get(name)
    if reads is None:
        return frozenset()
    passed = {argument: (call, statement) for call, argument, statement in made.file.mentions(name)}
    returned = {statement.value: statement for statement in made.scope.returns}
    found: list[frozenset[str] | None] = [frozenset(reads.attributes)]
    for read in reads.whole:
        if (statement := returned.get(read)) is not None:
            found.append(_touched_by_callers(ev, Place(made.file, read, statement, made.frame)))
        else:
            found.append(_read_by_callee(ev, made, *passed[read]) if read in passed else None)
    return _together(found)


def _touched_by_callers(ev: Evaluator, returned: Place) -> frozenset[str] | None:
    """Return the attributes that the callers of a function may read of what it returns."""
    frame = returned.frame
    if returned.scope.kind != "function" or returned.scope.yields:
        return None
    if frame is not None and frame.function is returned.scope and frame.call is not None:
        return _touched(ev, frame.call)
    callers = ev.callers(Function(returned.file, returned.scope))
    if not callers or any(one != Caller.of_call(one.place, one.bound) for one in callers):
        return None
    return _together(_touched(ev, one.place) for one in callers)


def _together(found: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    names: frozenset[str] = frozenset()
    for one in found:
        if one is None:
            return None
        names |= one
    return names


def _read_by_callee(ev: Evaluator, origin: Place, call: ast.Call, statement: ast.stmt) -> frozenset[str] | None:
    """Return the attributes that a call may read of its arguments: those that the callee's file reads of anything."""
    functions = ev.callees(Place(origin.file, call, statement))
    if not functions:
        return None
    return frozenset().union(*(function.file.attributes_in(function.file.tree) for function in functions))


def _bases(ev: Evaluator, kind: Class | None) -> Iterator[Class | None]:
    """Yield the bases of a class in the project, and None for one that may call any method."""
    node = kind.scope.node if kind is not None else None
    if kind is None or not isinstance(node, ast.ClassDef):
        return
    for base in node.bases:
        for one in ev.evaluate(Place(kind.file, base, node)):
            match one.value:
                case Class() as parent:
                    yield parent
                case Imported(name=name) if canonical(name) in _QUIET_BASES:
                    pass
                case _:
                    yield None


@tabled(_UNTOUCHED)
def _reached(ev: Evaluator, origin: Place, kind: Class) -> frozenset[str] | None:
    """Return the names of what may run on an object: attributes that were read, and those that methods of these read.

    None if any method may.
    """
    first: Class | None = kind
    touched, classes = _touched(ev, origin), list(closure(first, partial(_bases, ev)))
    if touched is None or None in classes:
        return None
    methods: dict[str, set[str]] = {}
    for one in classes:
        for statement in one.scope.node.body if one is not None else ():
            if one is not None and isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                methods.setdefault(statement.name, set()).update(one.file.attributes_in(statement))
    always = {name for name in methods if name.startswith("__") or name == "forward"}
    seen: set[str] = set()
    running = (closure(name, lambda one: methods.get(one, ()), seen) for name in (*touched, *always))
    return frozenset(chain.from_iterable(running))
