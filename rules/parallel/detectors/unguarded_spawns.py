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
from torchlint.model.parallel.start_methods import start_methods
from torchlint.model.place import Place
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
from torchlint.pytorch.symbols import LOADER
from torchlint.syntax.closure import closure

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_METHOD = "spawn"


@dataclass(frozen=True, slots=True)
class UnguardedSpawn:
    """What a file runs whenever it runs, and where that spawns processes."""

    run: Place
    started: Place


def unguarded_spawns(ev: Evaluator, file: ParsedFile) -> Iterator[UnguardedSpawn]:
    """Yield what of a script spawns processes in each process that is spawned, in source order and once."""
    if file.source.notebook is not None or len(programs_with(ev, file)) > 1:
        return
    found: dict[tuple[object, ...], UnguardedSpawn] = {}
    for started in chain(_functions(ev, file), _processes(ev, file), _pools(ev, file), _loops(ev, file)):
        if not is_reachable(ev, started):
            continue
        for run in closure(started, lambda place: _callers(ev, place)):
            if run.scope.kind == "file" and run.file is file and not _is_guarded(run):
                found.setdefault(run.key, UnguardedSpawn(run, started))
    yield from (found[key] for key in sorted(found))


def _callers(ev: Evaluator, place: Place) -> Iterator[Place]:
    """Yield the calls of the function around a place, if nothing there tells the processes apart."""
    if place.scope.kind == "function" and not _is_guarded(place):
        yield from (one.place for one in ev.callers(Function(place.file, place.scope)) if call_at(one.place))


def _is_guarded(place: Place) -> bool:
    return any(word in test.code for test, _ in place.tests for word in TELLING_APART)


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


def _loops(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield what a loop iterates over, where that starts the workers that a loader spawns by its context argument."""
    made = {(one.file, one.expression) for one in calls_of(file, frozenset({LOADER})) if _spawns_workers(ev, one)}
    for loop in file.index.statements(ast.For) if made else ():
        place = Place(file, loop.iter, loop)
        match loop.iter:
            case ast.Call(func=ast.Name(id="enumerate"), args=[iterated, *_]):
                place = place.at(iterated)
        origins = [one.origin for one in ev.evaluate(place)]
        if origins and all(one is not None and (one.file, one.expression) in made for one in origins):
            yield place


def _spawns_workers(ev: Evaluator, loader: Call) -> bool:
    context, workers = loader_argument(loader, CONTEXT_ARGUMENT[-1]), loader_argument(loader, "num_workers")
    if context is None or workers is None or start_methods(ev, loader, [context]) != {_METHOD}:
        return False
    possible = ev.evaluate(workers)
    return bool(possible) and all(isinstance(one.value, Literal) and one.value.value != 0 for one in possible)
