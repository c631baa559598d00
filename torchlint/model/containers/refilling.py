"""What is stored in a container after it was made: where it is read, by callees that receive it, and by callers.

After `move(batch, device)`, a batch may hold nothing that the loader returned.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from torchlint.inference.limits import MOST_CALLERS, NESTED
from torchlint.model.call_graph.callees import run_by
from torchlint.model.containers.items import taken
from torchlint.model.containers.stored_items import is_under
from torchlint.model.place import Caller, Place
from torchlint.model.values.frames import frame_for, frame_into
from torchlint.model.values.joins import either
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import UNKNOWN, Display, Frame, Function, Literal, ValueSet
from torchlint.syntax.facts import Given
from torchlint.syntax.layout import layout_of
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.scope import Binding, Scope
from torchlint.syntax.walk import is_written, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Store

_Counts: TypeAlias = "Callable[[ast.stmt], bool]"
_NOTHING: ValueSet = ()
_UNCHANGED: Binding | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """A container, by its name in a function."""

    file: ParsedFile
    scope: Scope
    name: str
    frame: Frame | None
    given: Given = frozenset()

    @property
    def home(self) -> Scope:
        """Return where its name means the same: the function, or the class that an attribute's method belongs to."""
        is_shared = "." in self.name and self.scope.is_method and self.scope.outer is not None
        return self.scope.outer if is_shared and self.scope.outer is not None else self.scope

    def at(self, expression: ast.expr, statement: ast.stmt) -> Place:
        return Place(self.file, expression, statement, self.frame, self.given)

    def passed(self) -> Iterator[tuple[Place, ast.expr]]:
        """Yield the calls that it is passed to, with the argument."""
        home = self.home
        for call, argument, statement in self.file.mentions(self.name.rpartition(".")[2]):
            scope = self.file.index.home[statement][0].scope
            if home in {scope, scope.outer} and is_written(argument, self.name):
                yield self.at(call, statement), argument

    def updated(self) -> Iterator[Place]:
        """Yield the calls of its `update`."""
        for call, statement in self.file.index.calls("update"):
            scope = self.file.index.home[statement][0].scope
            is_own = isinstance(call.func, ast.Attribute) and is_written(call.func.value, self.name)
            if is_own and self.home in {scope, scope.outer}:
                yield self.at(call, statement)


@tabled(_NOTHING)
def put_under(ev: Evaluator, container: Place, key: object) -> ValueSet:
    """Return what may have been stored under a key of an expression's value, before it is read there."""
    node = container.expression
    if key is None or not isinstance(node, (ast.Name, ast.Attribute)):
        return ()
    held = _Held(container.file, container.scope, written(node), container.frame, container.given)
    found = [_put_before(ev, held, container.statement, key), *_put_on_the_way(ev, container, key)]
    if isinstance(key, str):
        found += [ev.one_call_deeper(partial(put_under, ev, one, key)) for one in _given(ev, container)]
    return either(*found)


def is_refilled(ev: Evaluator, container: Place) -> bool:
    """Tell whether anything may have been put into a container, under whatever key, before it is read there."""
    node = container.expression
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    held = _Held(container.file, container.scope, written(node), container.frame, container.given)
    return _is_put_before(ev, held, container.statement)


@tabled(False)
def _is_put_before(ev: Evaluator, held: _Held, statement: ast.stmt) -> bool:
    return _is_put_into(ev, held, partial(_holds_still, ev, held, statement))


@tabled(_NOTHING)
def _put_before(ev: Evaluator, held: _Held, statement: ast.stmt, key: object) -> ValueSet:
    """Return what a function stores under a key of a container, before a statement that may read it many times."""
    return either(*_put_into(ev, held, key, partial(_holds_still, ev, held, statement)))


def _is_put_into(ev: Evaluator, held: _Held, counts: _Counts) -> bool:
    stores = (one.statement for one in held.file.stores.items_in(held.home, held.name))
    if any(map(counts, stores)) or any(counts(one.statement) for one in held.updated()):
        return True
    return any(
        _is_put_into_argument(ev, inner)
        for call, argument in held.passed()
        if counts(call.statement)
        for inner in _held_by(ev, call, argument)
    )


@tabled(False)
def _is_put_into_argument(ev: Evaluator, held: _Held) -> bool:
    return _is_put_into(ev, held, partial(_is_given, held))


def _put_into(ev: Evaluator, held: _Held, key: object, counts: _Counts) -> Iterator[ValueSet]:
    """Yield what a function stores under a key of a container, by those of its statements that count."""
    for store in held.file.stores.items_under(held.home, held.name, key):
        is_there = is_under(held.file, store, key)
        if is_there is not False and counts(store.statement):
            yield _stored(ev, held, store) if is_there or _adds_up(ev, held, store, key) else UNKNOWN
    for update in held.updated() if isinstance(key, str) else ():
        if counts(update.statement):
            yield from _updated(ev, update, key)
    for call, argument in held.passed():
        if counts(call.statement):
            yield _put_by(ev, call, argument, key)


def _put_on_the_way(ev: Evaluator, container: Place, key: object) -> Iterator[ValueSet]:
    """Yield what a callee stores under a key of a dict display that it receives: `batch = moved({"x": x}, device)`."""
    written_at = (one.value.place for one in ev.evaluate(container) if isinstance(one.value, Display))
    for display in written_at:
        parents = display.file.parents_in(display.statement)
        parent = parents.get(display.expression)
        call = parents.get(parent) if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call) and call.func is not display.expression:
            yield _put_by(ev, display.at(call), display.expression, key)


def _adds_up(ev: Evaluator, held: _Held, store: Store, key: object) -> bool:
    """Tell whether a store computes something under a name that is the key in an iteration: `for k in ("a", "b"): …`.

    Copies, such as of the tensors of another state dict, take long to follow and show little.
    """
    is_computed = store.kind == "augment" or isinstance(store.value, ast.BinOp)
    if not is_computed or not isinstance(store.key, ast.Name):
        return False
    possible = ev.evaluate(held.at(store.key, store.statement))
    return any(isinstance(one.value, Literal) and one.value.value == key for one in possible)


def _stored(ev: Evaluator, held: _Held, store: Store) -> ValueSet:
    if store.value is None:
        return UNKNOWN
    return taken(ev, ev.evaluate(held.at(store.value, store.statement)), store)


def _updated(ev: Evaluator, update: Place, key: object) -> Iterator[ValueSet]:
    """Yield what `batch.update(…)` stores under a key."""
    assert isinstance(update.expression, ast.Call)
    for mapping in update.expression.args:
        yield from (ev.item((one, key)) for one in ev.evaluate(update.at(mapping)))
    for word in update.expression.keywords:
        if word.arg is None:
            yield UNKNOWN
        elif word.arg == key:
            yield ev.evaluate(update.at(word.value))


@tabled(_NOTHING)
def _put_by(ev: Evaluator, call: Place, argument: ast.expr, key: object) -> ValueSet:
    """Return what the callees of a call store under a key of the container that it passes."""
    containers = _held_by(ev, call, argument)
    return either(*(put for one in containers for put in _put_into(ev, one, key, partial(_is_given, one))))


def _held_by(ev: Evaluator, call: Place, argument: ast.expr) -> Iterator[_Held]:
    """Yield a container by what the functions call it that a call runs and passes it to."""
    assert isinstance(call.expression, ast.Call)
    for function in (one for callee in ev.evaluate(call.at(call.expression.func)) for one in run_by(ev, callee)):
        caller = Caller.of_call(call, 1 if function.receiver is not None else 0, function.fixed)
        for parameter in function.scope.parameters:
            if any(one.expression is argument for one in caller.argument(parameter) or ()) and not parameter.star:
                yield _Held(function.file, function.scope, parameter.name, frame_for(call, function, NESTED))


def _holds_still(ev: Evaluator, held: _Held, reading: ast.stmt, statement: ast.stmt) -> bool:
    """Tell whether the effect of a statement on a container may still hold where another one reads that."""
    if "." in held.name:
        return True
    index, bindings = held.file.index, held.scope.bindings.get(held.name, [])
    if statement not in layout_of(index, bindings).own:
        # What the name is bound to where the effect is, it is where the effect is read.
        before, later = (reaching(index, bindings, one, _open).definitions for one in (statement, reading))
        if not set(before) <= set(later):
            return False
    change = _change(ev, held.file, held.name, statement)
    assert change is not None
    return change in reaching(index, [*bindings, change], reading, _open).definitions


@tabled(_UNCHANGED)
def _change(_ev: Evaluator, _file: ParsedFile, name: str, statement: ast.stmt) -> Binding | None:
    """Return the effect of a statement on a container as a binding of its name, one for all that read it."""
    return Binding(name, "assign", statement, None)


def _is_given(held: _Held, statement: ast.stmt) -> bool:
    """Tell whether a parameter may still be its argument where a statement begins."""
    bindings = held.scope.bindings[held.name]
    return len(bindings) == 1 or any(
        one.kind == "parameter" for one in reaching(held.file.index, bindings, statement, _open).definitions
    )


def _open(_test: ast.expr, _statement: ast.stmt) -> None:
    """Leave every test undecided."""


def _given(ev: Evaluator, container: Place) -> Iterator[Place]:
    """Yield what is passed for a parameter by the call in the frame, or else by all callers."""
    node, scope = container.expression, container.scope
    names = (one for one in scope.parameters if isinstance(node, ast.Name) and one.name == node.id and not one.star)
    parameter = next(names, None)
    if parameter is None or (parameter.position == 0 and scope.is_method):
        return
    bindings = scope.bindings[parameter.name]
    if len(bindings) > 1 and not _is_given(_Held(container.file, scope, parameter.name, None), container.statement):
        return
    frame = frame_into(container, scope)
    led = Caller.of_frame(frame, frame.call) if frame is not None and frame.call is not None else None
    callers = (led,) if led is not None else ev.callers(Function(container.file, scope))[:MOST_CALLERS]
    for caller in callers:
        yield from caller.argument(parameter) or ()
