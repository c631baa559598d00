"""CUDA in processes that were forked from one that uses CUDA itself: used there, inherited, or passed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from torchlint.inference.limits import NESTED
from torchlint.model.call_graph.callees import run_by
from torchlint.model.call_graph.class_hierarchy import is_module
from torchlint.model.call_graph.leading import all_leading_to
from torchlint.model.devices.requests import DeviceRequest, cuda_requests
from torchlint.model.facts import fact_of_each_file
from torchlint.model.place import Place
from torchlint.model.training.parameter_tests import lets_run
from torchlint.model.values.def_use import ancestors
from torchlint.model.values.frames import frame_for
from torchlint.model.values.value_sets import Frame, Function, Tensor, ValueSet
from torchlint.model.worlds import WITH_CUDA
from torchlint.pytorch.metadata import METADATA
from torchlint.syntax.scope import Scope
from torchlint.syntax.walk import walk

from .forked_queues import queued
from .forks import Fork, forks

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_ITEM = "__getitem__"
# Properties of a tensor that are known without reading its memory.
_TOLD = METADATA | {"__len__"}


@dataclass(frozen=True, slots=True)
class Way:
    """A function that a forked process runs, in the frame of the call, None for any call."""

    function: Function
    frame: Frame | None
    length: int = 0


@dataclass(frozen=True, slots=True)
class ForkedCuda:
    """A place that uses CUDA in a forked process, or passes it something on the GPU."""

    place: Place
    forked_at: Place
    """The loader with workers, the process that is made, or the call that submits work to a pool."""
    given: Place | None = None
    """What is passed to the processes and is on the GPU."""
    is_loader: bool = False
    kept: Place | None = None
    """Where something that the process inherits was moved to the GPU."""


@fact_of_each_file
def forked_cuda(ev: Evaluator) -> dict[str, list[ForkedCuda]]:
    """Return where forked processes use CUDA, by file, in programs that use it before."""
    ev = ev.project.evaluator(WITH_CUDA)
    found: dict[object, ForkedCuda] = {}
    started = list(forks(ev))
    for fork in (*started, *queued(ev, started)):
        for one in (*_given(ev, fork), *_asked_for(ev, fork)):
            found.setdefault(one.place.key, one)
    by_path: dict[str, list[ForkedCuda]] = {}
    for one in sorted(found.values(), key=lambda one: one.place.key):
        by_path.setdefault(one.place.path, []).append(one)
    return by_path


def _given(ev: Evaluator, fork: Fork) -> Iterator[ForkedCuda]:
    """Yield what is passed to processes and is on the GPU; the first for each call."""
    whole = (one for one in fork.given if _is_on_gpu(ev, one, ev.evaluate(one)))
    each = (one for one in fork.items if _has_items_on_gpu(ev, one))
    if (given := next(chain(whole, each), None)) is not None:
        yield ForkedCuda(fork.place, fork.place, given, is_loader=fork.is_loader)


def _has_items_on_gpu(ev: Evaluator, place: Place) -> bool:
    items = [ev.elements(one) for one in ev.evaluate(place)]
    return bool(items) and all(_are_tensors_on_gpu(one) for one in items)


def _is_on_gpu(ev: Evaluator, place: Place, possible: ValueSet) -> bool:
    """Tell whether an expression surely is a tensor or module on the GPU, on a machine with one."""
    if _are_tensors_on_gpu(possible):
        return True
    if not possible or not all(is_module(ev, one.value) for one in possible):
        return False
    residence = ev.residence(place)
    return residence is not None and residence.kind == "cuda"


def _are_tensors_on_gpu(possible: ValueSet) -> bool:
    devices = [one.value.device if isinstance(one.value, Tensor) else None for one in possible]
    return bool(devices) and all(device is not None and device.kind == "cuda" for device in devices)


def _asked_for(ev: Evaluator, fork: Fork) -> Iterator[ForkedCuda]:
    """Yield where a forked process requests CUDA, or uses what it inherits, after its parent used CUDA."""
    running = _run_by(ev, fork.runs)
    files = {way.function.file for ways in running.values() for way in ways}
    files |= {one.file for one in fork.lambdas}
    demands = {file: list(cuda_requests(ev, file)) for file in files}
    parents = demands.get(fork.place.file) or list(cuda_requests(ev, fork.place.file))
    nameless = {node for one in fork.lambdas for node in walk(one.expression)}
    above = list(all_leading_to(ev, fork.place))
    others = (one for one in parents if one.call.scope not in running and one.call.expression not in nameless)
    if any(fork.is_loader or _comes_before(ev, one.call, above) for one in others):
        for demand in (one for some in demands.values() for one in some):
            ways = running.get(demand.call.scope, ())
            if demand.call.expression in nameless or any(_is_made(ev, demand, way) for way in ways):
                yield ForkedCuda(demand.call, fork.place, is_loader=fork.is_loader)
    for ways in running.values():
        yield from _kept_from_before(ev, fork, ways, running)


def _kept_from_before(
    ev: Evaluator, fork: Fork, ways: list[Way], running: dict[Scope, list[Way]]
) -> Iterator[ForkedCuda]:
    """Yield the first use, in a function that a process runs, of a tensor that its parent moved to the GPU."""
    function = ways[0].function
    is_item = fork.is_loader and function.scope.name == _ITEM
    for read in _reads(function.file, function.scope, is_item):
        possible = ev.evaluate(read.within(ways[0].frame))
        made = [one.origin for one in possible]
        if _are_tensors_on_gpu(possible) and all(one is not None and one.scope not in running for one in made):
            yield ForkedCuda(next(_used_by(read, is_item)), fork.place, is_loader=fork.is_loader, kept=made[0])
            return


def _reads(file: ParsedFile, scope: Scope, is_item: bool) -> Iterator[Place]:
    """Yield the attributes and outer names whose memory a function reads: `self.images[index]`.

    That of an item (`is_item`) is read by what makes a batch of it.
    """
    parameters = {one.name for one in scope.parameters}
    for statement in file.index.home:
        if file.index.home[statement][0].scope is not scope:
            continue
        for node in file.parents_in(statement):
            match node:
                case ast.Attribute(value=ast.Name(), ctx=ast.Load()):
                    place = Place(file, node, statement)
                case ast.Name(id=name, ctx=ast.Load()) if name not in scope.bindings and name not in parameters:
                    place = Place(file, node, statement)
                case _:
                    continue
            if next(_used_by(place, is_item), None) is not None:
                yield place


def _used_by(read: Place, is_item: bool) -> Iterator[Place]:
    """Yield the operation that reads the memory of a tensor, if its parent expression does, or an item to collate."""
    around = list(ancestors(read))
    if is_item and isinstance(read.statement, ast.Return):
        parts = [parent for parent, _ in around if not isinstance(parent, ast.stmt)]
        if all(isinstance(parent, (ast.Tuple, ast.List, ast.Dict)) for parent in parts):
            yield read
    around = around[:2]
    match [parent for parent, _ in around]:
        case [ast.Subscript(value=whole) as taken, *_] if whole is read.expression:
            yield read.at(taken)
        case [ast.BinOp() as operation, *_]:
            yield read.at(operation)
        case [ast.Attribute(attr=name), ast.Call(func=function) as call] if name not in _TOLD:
            if function is around[0][0]:
                yield read.at(call)


def _run_by(ev: Evaluator, functions: Iterable[Function]) -> dict[Scope, list[Way]]:
    """Return the paths from some functions to the functions of the project that they run, themselves included."""
    found: dict[Scope, list[Way]] = {}
    pending = [Way(function, None) for function in functions]
    seen: set[tuple[Scope, Place]] = set()
    for way in pending:
        found.setdefault(way.function.scope, []).append(way)
        for call, statement in way.function.file.calls_in_scope(way.function.scope) if way.length < NESTED else ():
            place = Place(way.function.file, call, statement, way.frame)
            for further in _ways_on(ev, way, place):
                if (step := (further.function.scope, place.within(None))) not in seen:
                    seen.add(step)
                    pending.append(further)
    return found


def _ways_on(ev: Evaluator, way: Way, call: Place) -> Iterator[Way]:
    """Yield the paths to the callees of a call; a function that is only passed on may be called with anything."""
    assert isinstance(call.expression, ast.Call)
    called = {function for one in ev.evaluate(call.at(call.expression.func)) for function in run_by(ev, one)}
    for function in ev.callees(call):
        frame = frame_for(call, function, NESTED) if function in called else None
        if frame is not None or function not in called:
            yield Way(function, frame, way.length + 1)


def _is_made(ev: Evaluator, demand: DeviceRequest, way: Way) -> bool:
    """Tell whether CUDA may be requested on one path to a function, with the arguments of that path."""
    within = DeviceRequest(demand.call.within(way.frame), demand.argument and demand.argument.within(way.frame))
    return within.asks_for_cuda(ev) and lets_run(ev, within.call, way.frame)


def _comes_before(ev: Evaluator, demand: Place, above: list[Place]) -> bool:
    """Tell whether the parent uses CUDA before it forks, there or at one of the calls that lead to either."""
    for one in all_leading_to(ev, demand):
        for fork in above:
            same = one.scope is fork.scope and one.line <= (fork.span.end_line or fork.line)
            if same or (one.scope.kind == "file" and one.file is fork.file and fork.scope.kind != "file"):
                return True
    return False
