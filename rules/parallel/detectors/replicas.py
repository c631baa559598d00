"""What the forward of a module under DataParallel stores on `self`: it is on a replica, and lost with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.modules.made_of import Key, class_key, collect_classes
from torchlint.model.modules.own_methods import run_by_forward
from torchlint.model.parallel.wrappers import wrapper_name
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Class, Function, Instance, Possibility
from torchlint.model.worlds import ANYWHERE
from torchlint.pytorch.moves import MODULE_CASTS, MOVES_OF_TENSORS
from torchlint.pytorch.replicas import RUNNING_HOOKS
from torchlint.pytorch.symbols import DATA_PARALLEL
from torchlint.syntax.arguments import passed
from torchlint.syntax.arms import arms_of
from torchlint.syntax.scope import Scope, Store
from torchlint.syntax.stores import store_target
from torchlint.syntax.walk import written

from .wrapping_calls import is_single

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator, ParsedFile

# More are a table of classes, of which a program wraps a few.
_MOST_ALTERNATIVES = 3
_RUNNING = ("forward", *RUNNING_HOOKS)
_MAKING = frozenset({"__init__", "__setstate__", "reset_parameters"})
# The next call does these again to what the module still has.
_CONVERTING = MOVES_OF_TENSORS | MODULE_CASTS | {"contiguous"}


@dataclass(frozen=True, slots=True)
class LostState:
    """A store into an attribute of a replica, and where the program reads the attribute afterwards."""

    place: Place
    read: Place
    wrapped: Place


def replicated_classes(ev: Evaluator) -> dict[Key, Place]:
    """Return the classes whose modules are wrapped in DataParallel, alone or in others, each with the wrapping call."""
    found: dict[Key, Place] = {}
    seen: set[Place] = set()
    for place in _calls_of_heirs(ev):
        call = place.expression
        if not isinstance(call, ast.Call) or not call.args or _is_of_one_device(call):
            continue
        if any(map(partial(_replicates, ev), ev.evaluate(place))):
            collect_classes(ev, ev.evaluate(place.at(call.args[0])), place, found, seen)
    return found


def wrapping_step(wrapped: Place) -> Step:
    """Return the step to a wrapping call: an assumption, if a configuration chooses what it wraps from a registry."""
    ev, call = wrapped.file.project.evaluator(ANYWHERE), wrapped.expression
    given = ev.evaluate(wrapped.at(call.args[0])) if isinstance(call, ast.Call) and call.args else ()
    kinds = {class_key(one.value.kind) for one in given if isinstance(one.value, Instance)}
    if len(kinds) > _MOST_ALTERNATIVES:
        return wrapped.step(
            f"wrapped in `DataParallel` here, if it is chosen from {len(kinds)} classes", is_assumed=True
        )
    return wrapped.step("wrapped in `DataParallel` here")


def _calls_of_heirs(ev: Evaluator) -> Iterator[Place]:
    """Yield the calls with the name of DataParallel, or of a subclass."""
    library = ev.project.library
    for name in sorted(library.heirs("DataParallel")) if library.holding("DataParallel") else ():
        for path in library.holding(name):
            file = ev.project.parsed(path)
            for word in file.words_of(name) if file is not None else ():
                assert file is not None
                yield from (Place(file, call, statement) for call, statement in file.index.calls(word))


def _is_of_one_device(call: ast.Call) -> bool:
    ids = passed(call, "device_ids", 1)
    return ids is not None and is_single(ids)


def _replicates(ev: Evaluator, made: Possibility) -> bool:
    """Tell whether an object is a DataParallel, or of a subclass that inherits how modules are run."""
    if wrapper_name(ev, made) != DATA_PARALLEL:
        return False
    kind = made.value
    return not isinstance(kind, Instance) or all(method_of(ev, kind.kind, name) is None for name in _RUNNING)


def lost_states(ev: Evaluator, file: ParsedFile) -> Iterator[LostState]:
    """Yield what the replicas of a file's modules store on themselves and the program reads from the module."""
    classes = ev.project.once(replicated_classes)
    for scope in file.index.scopes:
        kind = Class(file, scope)
        if class_key(kind) not in classes:
            continue
        running = set(run_by_forward(ev, kind))
        for store in file.index.stores:
            method = file.index.home[store.statement][0].scope
            if method not in running or method.outer is not scope or not isinstance(store.key, str):
                continue
            if not _is_on_self(method, store) or _is_kept_in_place(kind, store) or _is_a_cache(file, store):
                continue
            read = next(_reads_afterwards(ev, kind, running, store), None)
            if read is not None:
                yield LostState(Place(file, store_target(store), store.statement), read, classes[class_key(kind)])


def _is_on_self(method: Scope, store: Store) -> bool:
    return isinstance(store.target, ast.Name) and store.target.id == method.parameters[0].name


def _is_kept_in_place(kind: Class, store: Store) -> bool:
    """Tell whether a store changes a buffer in place, which the first replica shares with the module."""
    if store.kind != "augment":
        return False
    return any(
        call.args and isinstance(call.args[0], ast.Constant) and call.args[0].value == store.key
        for call, _ in kind.file.index.calls("register_buffer")
    )


def _is_a_cache(file: ParsedFile, store: Store) -> bool:
    """Tell whether a store is under a test of the attribute itself: what is lost is computed again."""
    text = f"{written(store.target)}.{store.key}"
    tests = (getattr(condition, "test", None) for condition in file.conditions_at(store.statement, store.target))
    return any(text in written(test) for test in tests if test is not None)


def _reads_afterwards(ev: Evaluator, kind: Class, running: set[Scope], store: Store) -> Iterator[Place]:
    """Yield where the attribute is read after the replica is gone: elsewhere, or in the next `forward`."""
    assert isinstance(store.key, str)
    for path in ev.project.library.holding(store.key):
        file = ev.project.parsed(path)
        for node, statement in file.attribute_reads(store.key) if file is not None else ():
            assert file is not None
            place = Place(file, node, statement)
            if place.scope in running:
                continue
            own = place.scope.is_method and any(
                isinstance(o, Class) and o.scope is place.scope.outer for o in family(ev, kind)
            )
            if own and isinstance(node.value, ast.Name):
                function = Function(file, place.scope)
                if place.scope.name not in _MAKING and any(c.place.scope not in running for c in ev.callers(function)):
                    yield place
            elif any(
                isinstance(o.value, Instance) and o.value.kind.scope is kind.scope
                for o in ev.evaluate(place.at(node.value))
            ):
                yield place
    if not _is_converted_again(store):
        yield from _reads_first(kind.file, store)


def _is_converted_again(store: Store) -> bool:
    """Tell whether a store keeps the value, on another device: `self.mean = self.mean.to(x.device)`."""
    text = f"{written(store.target)}.{store.key}"
    if store.kind != "assign" or store.value is None:
        return False
    return all(written(_converted(arm)) == text for arm in arms_of(store.value))


def _converted(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CONVERTING:
        node = node.func.value
    return node


def _reads_first(file: ParsedFile, store: Store) -> Iterator[Place]:
    """Yield where the method that stores has read the attribute before: what the last `forward` stored there."""
    method = file.index.home[store.statement][0].scope
    assert isinstance(store.key, str)
    text = written(store.target)
    reads = file.attribute_reads(store.key)
    if store.kind == "augment" and reads and not _is_written_before(file, store, store.statement):
        yield Place(file, reads[0][0], reads[0][1])
    for node, statement in reads:
        is_same = file.index.home[statement][0].scope is method and written(node.value) == text
        if is_same and node.lineno <= store.statement.lineno and not _is_written_before(file, store, statement):
            yield Place(file, node, statement)


def _is_written_before(file: ParsedFile, store: Store, reading: ast.stmt) -> bool:
    assert isinstance(store.key, str)
    method = file.index.home[store.statement][0].scope
    return any(
        other.statement.lineno < reading.lineno and file.index.home[other.statement][0].scope is method
        for other in file.index.attribute_stores(store.key)
    )
