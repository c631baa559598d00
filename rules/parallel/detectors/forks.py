"""CUDA in processes that were forked from one that uses CUDA itself: loader workers, `multiprocessing.Process`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from torchlint.model.calls import calls_anywhere
from torchlint.model.devices.requests import DeviceRequest, cuda_requests
from torchlint.model.linking.callees import run_by
from torchlint.model.linking.classes import method_of
from torchlint.model.place import Place
from torchlint.model.tensors.loader_arguments import may_start_workers
from torchlint.model.training.parameter_tests import lets_run
from torchlint.model.values.possible import Frame, Function, Imported, Instance, Literal, frame_for
from torchlint.pytorch.roles import Role, names_a
from torchlint.pytorch.symbols import canonical
from torchlint.syntax.scope import Scope

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator

_FORKING = frozenset({"multiprocessing.Process", "torch.multiprocessing.Process", "multiprocessing.context.Process"})
_FORK = Literal("fork")
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Way:
    """A function that a forked process comes to, in the frame of the call by which it does, None where any may be."""

    function: Function
    frame: Frame | None
    length: int = 0


@dataclass(frozen=True, slots=True)
class ForkedCuda:
    """A place that asks for CUDA in a forked process."""

    place: Place
    forked_at: Place
    """The loader with workers, or the process that is made."""


def forked_cuda(ev: Evaluator) -> dict[str, list[ForkedCuda]]:
    """Return where code that runs in forked processes asks for CUDA, by file, in programs that use it before."""
    by_path: dict[str, list[ForkedCuda]] = {}
    if _chooses_start(ev):
        return by_path
    found: dict[object, ForkedCuda] = {}
    for forked_at, functions in _forks(ev):
        running = _run_by(ev, functions)
        files = {way.function.file for ways in running.values() for way in ways}
        demands = {file: list(cuda_requests(ev, file)) for file in files}
        parents = demands.get(forked_at.file) or list(cuda_requests(ev, forked_at.file))
        if not any(demand.call.scope not in running and _comes_first(demand.call, forked_at) for demand in parents):
            continue
        for demand in (one for some in demands.values() for one in some if one.call.scope in running):
            if any(_is_made(ev, demand, way) for way in running[demand.call.scope]):
                found.setdefault(demand.call.key, ForkedCuda(demand.call, forked_at))
    for one in sorted(found.values(), key=lambda one: one.place.key):
        by_path.setdefault(one.place.path, []).append(one)
    return by_path


def _chooses_start(ev: Evaluator) -> bool:
    """Tell whether the project chooses how processes start: then hardly by a fork."""
    return any(
        ev.project.library.holding(f"{quote}{word}{quote}") for word in ("spawn", "forkserver") for quote in "'\""
    )


def _forks(ev: Evaluator) -> Iterator[tuple[Place, list[Function]]]:
    """Yield the calls that start processes by forking, or make a loader that does, with what those run."""
    for place in chain.from_iterable(calls_anywhere(ev.project, name) for name in ("DataLoader", "Process")):
        call = place.expression
        assert isinstance(call, ast.Call)
        names = {canonical(o.value.name) for o in ev.evaluate(place.at(call.func)) if isinstance(o.value, Imported)}
        words = {keyword.arg: place.at(keyword.value) for keyword in call.keywords if keyword.arg is not None}
        if names_a(names, Role.LOADER) and _has_workers(ev, words):
            yield place, list(_of_loader(ev, place, call, words))
        elif names & _FORKING and "target" in words:
            targets = ev.evaluate(words["target"])
            yield place, [one.value for one in targets if isinstance(one.value, Function)]


def _has_workers(ev: Evaluator, words: dict[str, Place]) -> bool:
    """Tell whether a loader surely may start workers, by forking."""
    if "num_workers" not in words:
        return False
    contexts = ev.evaluate(words["multiprocessing_context"]) if "multiprocessing_context" in words else ()
    return may_start_workers(ev, words["num_workers"]) and all(one.value in (_FORK, Literal(None)) for one in contexts)


def _of_loader(ev: Evaluator, place: Place, call: ast.Call, words: dict[str, Place]) -> Iterator[Function]:
    """Yield what a loader's workers run: the dataset's methods, the collating function."""
    dataset = place.at(call.args[0]) if call.args else words.get("dataset")
    for one in ev.evaluate(dataset) if dataset is not None else ():
        if isinstance(one.value, Instance):
            for name in ("__getitem__", "__iter__", "__getitems__"):
                if (method := method_of(ev, one.value.kind, name, one)) is not None:
                    yield method
    for one in ev.evaluate(words["collate_fn"]) if "collate_fn" in words else ():
        if isinstance(one.value, Function):
            yield one.value
        elif isinstance(one.value, Instance) and (method := method_of(ev, one.value.kind, "__call__", one)) is not None:
            yield method


def _run_by(ev: Evaluator, functions: list[Function]) -> dict[Scope, list[Way]]:
    """Return how some functions come to the functions of the project that they run, themselves included."""
    found: dict[Scope, list[Way]] = {}
    pending = [Way(function, None) for function in functions]
    seen: set[tuple[Scope, Place]] = set()
    for way in pending:
        found.setdefault(way.function.scope, []).append(way)
        for call, statement in way.function.file.calls_in_scope(way.function.scope) if way.length < _DEEPEST else ():
            place = Place(way.function.file, call, statement, way.frame)
            for further in _ways_on(ev, way, place):
                if (step := (further.function.scope, place.within(None))) not in seen:
                    seen.add(step)
                    pending.append(further)
    return found


def _ways_on(ev: Evaluator, way: Way, call: Place) -> Iterator[Way]:
    """Yield the ways to what a call runs; who is only handed on there may be called with anything."""
    assert isinstance(call.expression, ast.Call)
    called = {function for one in ev.evaluate(call.at(call.expression.func)) for function in run_by(ev, one)}
    for function in ev.callees(call):
        frame = frame_for(call, function, _DEEPEST) if function in called else None
        if frame is not None or function not in called:
            yield Way(function, frame, way.length + 1)


def _is_made(ev: Evaluator, demand: DeviceRequest, way: Way) -> bool:
    """Tell whether CUDA may be asked for by one way to a function, whatever is passed to it by others."""
    within = DeviceRequest(demand.call.within(way.frame), demand.argument and demand.argument.within(way.frame))
    return within.asks_for_cuda(ev) and lets_run(ev, within.call, way.frame)


def _comes_first(demand: Place, forked_at: Place) -> bool:
    """Tell whether the parent uses CUDA, as far as the file shows: for a process, before it is made."""
    callee = forked_at.expression.func if isinstance(forked_at.expression, ast.Call) else None
    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
    if name != "Process":
        return True
    same = demand.scope is forked_at.scope and demand.line < forked_at.line
    return same or (demand.scope.kind == "file" and forked_at.scope.kind != "file")
