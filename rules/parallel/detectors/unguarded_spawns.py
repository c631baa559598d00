"""Calls by which a script spawns processes whenever its file runs, as it does in each of those processes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import programs_with
from torchlint.model.calls import Call, call_at, calls_of, method_calls_of
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.parallel.start_methods import PYTHONS_DEFAULT, start_methods
from torchlint.model.parallel.texts_of_tests import texts_of
from torchlint.model.place import Place
from torchlint.model.roles import is_made_as
from torchlint.model.tensors.loader_arguments import loader_argument
from torchlint.model.values.value_sets import Built, Function, Literal, Possibility
from torchlint.pytorch.processes import (
    CONTEXT_ARGUMENT,
    POOLS,
    PROCESSES,
    SPAWN,
    START_PROCESSES,
    TELLING_APART,
)
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import LOADER
from torchlint.syntax.closure import closure
from torchlint.syntax.iterated import sources_of

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_METHOD = "spawn"


@dataclass(frozen=True, slots=True)
class UnguardedSpawn:
    """What a file runs whenever it runs, and where that spawns processes."""

    run: Place
    started: Place
    is_chosen: bool = True
    """Whether the program chooses to spawn; else that is up to the platform, and to the version of Python."""


def unguarded_spawns(ev: Evaluator, file: ParsedFile) -> Iterator[UnguardedSpawn]:
    """Yield what of a script spawns processes in each process that is spawned, in source order and once.

    Of what the platform decides only the first: there each process ends, and one guard is for all that follows.
    """
    if file.source.notebook is not None or len(programs_with(ev, file)) > 1:
        return
    found: dict[tuple[object, ...], UnguardedSpawn] = {}
    chosen = chain(_functions(ev, file), _processes(ev, file), _pools(ev, file))
    for started, is_chosen in chain(((one, True) for one in chosen), _loops(ev, file)):
        if not is_reachable(ev, started):
            continue
        for run in closure(started, lambda place: _callers(ev, place)):
            if run.scope.kind == "file" and run.file is file and not _is_guarded(ev, run):
                found.setdefault(run.key, UnguardedSpawn(run, started, is_chosen))
    runs = [found[key] for key in sorted(found)]
    left_open = [one for one in runs if not one.is_chosen]
    yield from (one for one in runs if one not in left_open[1:])


def _callers(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield the calls of the function around a place, if nothing there tells the processes apart."""
    if place.scope.kind == "function" and not _is_guarded(ev, place):
        yield from (one.place for one in ev.callers(Function(place.file, place.scope)) if call_at(one.place))


def _is_guarded(ev: Evaluator, place: Place) -> bool:
    texts = (text for test, _ in place.tests for text in texts_of(ev, test))
    return any(word in text for text in texts for word in TELLING_APART)


def _functions(ev: Evaluator, file: ParsedFile) -> Iterator[Call]:
    """Yield the calls of `mp.spawn`, and of `start_processes` that do not choose another way."""
    for call in calls_of(file, frozenset({SPAWN, START_PROCESSES})):
        method = call.argument("start_method", 5) if SPAWN not in call.callee.names else None
        if method is None or start_methods(ev, call, [method]) == {_METHOD}:
            yield call


def _processes(ev: Evaluator, file: ParsedFile) -> Iterator[Call]:
    """Yield where processes are started."""
    for call in method_calls_of(file, frozenset({"start"})):
        possible = ev.evaluate(call.owner) if call.owner is not None else ()
        if possible and all(_is_spawned(ev, call, one, PROCESSES) for one in possible):
            yield call


def _pools(ev: Evaluator, file: ParsedFile) -> Iterator[Call]:
    """Yield where pools are created, which start their processes at once."""
    for call in method_calls_of(file, frozenset({"Pool"})):
        possible = ev.evaluate(call)
        if possible and all(_is_spawned(ev, call, one, POOLS) for one in possible):
            yield call


def _is_spawned(ev: Evaluator, call: Call, one: Possibility, kinds: dict[str, str | None]) -> bool:
    if not isinstance(one.value, Built) or one.value.name not in kinds:
        return False
    method = kinds[one.value.name]
    return method == _METHOD if method is not None else start_methods(ev, call) == {_METHOD}


def _loops(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, bool]]:
    """Yield what loops iterate over, where that spawns the workers of a loader, and whether the program chooses so.

    A context argument does, and so may Python, where nothing in the program says how processes are started.
    """
    made: dict[tuple[ParsedFile, object], str] = {}
    for loader in calls_of(file, frozenset({LOADER})):
        if (method := _method(ev, loader)) is not None:
            made[loader.file, loader.expression] = method
    for loop in file.index.statements(ast.For) if made else ():
        for source in sources_of(loop.iter):
            place = Place(file, source, loop)
            methods = {made.get((one.file, one.expression)) if one else None for one in _loaders(ev, place)}
            if len(methods) == 1 and (method := methods.pop()) is not None:
                yield place, method == _METHOD


def _loaders(ev: Evaluator, place: Place) -> Iterator[Place | None]:
    """Yield where the loaders that something may be are made, None for anything else."""
    for one in ev.evaluate(place):
        yield one.origin if is_made_as(ev, one.value, Role.LOADER) else None


def _method(ev: Evaluator, loader: Call) -> str | None:
    """Return how a loader starts its workers, None if it has none, or starts them in another way."""
    context, workers = loader_argument(loader, CONTEXT_ARGUMENT[-1]), loader_argument(loader, "num_workers")
    possible = ev.evaluate(workers) if workers is not None else ()
    if not possible or not all(isinstance(one.value, Literal) and one.value.value for one in possible):
        return None
    methods = start_methods(ev, loader, () if context is None else [context])
    return next((one for one in (_METHOD, PYTHONS_DEFAULT) if methods == {one}), None)
