"""Where a program forks processes, what these run, and their arguments: loader workers, processes, pools."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.guards.reachability import is_reachable
from torchlint.model.holding import files_holding
from torchlint.model.parallel.start_methods import PYTHONS_DEFAULT, start_methods
from torchlint.model.place import Place
from torchlint.model.tensors.loader_arguments import loader_argument, may_start_workers
from torchlint.model.values.value_sets import Built, Class, Display, Function, Instance, ValueSet
from torchlint.pytorch.classes import names_a
from torchlint.pytorch.loaders import SAMPLING
from torchlint.pytorch.processes import (
    AS_ITEMS,
    AS_TUPLE,
    CONTEXT_ARGUMENT,
    EXECUTOR_CALLS,
    EXECUTORS,
    FORK,
    POOL_CALLS,
    POOLS,
    PROCESSES,
    START_PROCESSES,
)
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import TENSOR_DATASET

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


@dataclass(frozen=True, slots=True)
class Fork:
    """A call by which processes are forked, or get work."""

    place: Call
    runs: tuple[Function, ...]
    """The functions of the project that they run."""
    lambdas: tuple[Place, ...] = ()
    """Lambdas that they run."""
    given: tuple[Place, ...] = ()
    """The arguments that they get."""
    items: tuple[Place, ...] = ()
    """The iterables whose items they get."""
    is_loader: bool = False
    """Whether they are forked where the loader is iterated over, and not at the call."""


def forks(ev: Evaluator) -> Iterator[Fork]:
    """Yield where a project forks processes."""
    found = chain(_loaders(ev), _processes(ev), _classes_of_processes(ev), _pools(ev))
    return (fork for fork in found if is_reachable(ev, fork.place))


def _loaders(ev: Evaluator) -> Iterator[Fork]:
    for call in calls_anywhere(ev.project, "DataLoader"):
        words = call.keywords
        if not names_a(call.callee.names_in(ev.world), Role.LOADER) or "num_workers" not in words:
            continue
        contexts = [words[word] for word in CONTEXT_ARGUMENT if word in words]
        if may_start_workers(ev, words["num_workers"]) and _forks(ev, call, None, contexts):
            dataset, collate = loader_argument(call, "dataset"), words.get("collate_fn")
            possible = ev.evaluate(dataset) if dataset is not None else ()
            runs, lambdas = _run_by_calling(ev, (collate,) if collate is not None else ())
            runs = (*_items_of(ev, possible), *runs)
            yield Fork(call, runs, lambdas, tuple(_tensors_in(possible, dataset)), is_loader=True)


def _items_of(ev: Evaluator, datasets: ValueSet) -> Iterator[Function]:
    for one in datasets:
        if isinstance(one.value, Instance):
            for name in SAMPLING:
                if (method := method_of(ev, one.value.kind, name, one)) is not None:
                    yield method


def _tensors_in(datasets: ValueSet, dataset: Place | None) -> Iterator[Place]:
    """Yield the tensors of a dataset: itself, or those of a `TensorDataset`."""
    for one in datasets:
        if isinstance(one.value, Built) and one.value.name == TENSOR_DATASET and one.origin is not None:
            made = one.origin.expression
            yield from (one.origin.at(argument) for argument in (made.args if isinstance(made, ast.Call) else ()))
    if dataset is not None:
        yield dataset


def _processes(ev: Evaluator) -> Iterator[Fork]:
    for call in calls_anywhere(ev.project, "Process"):
        target = call.argument("target", 1)
        methods = {PROCESSES[name] for name in call.callee.names_in(ev.world) if name in PROCESSES}
        if target is not None and methods and all(_forks(ev, call, method, ()) for method in methods):
            runs, lambdas = _run_by_calling(ev, (target,))
            args, kwargs = call.argument("args", 3), call.argument("kwargs", 4)
            yield Fork(call, runs, lambdas, (*_passed(ev, args), *_passed(ev, kwargs)))
    for call in calls_anywhere(ev.project, START_PROCESSES.rpartition(".")[2]):
        method = call.argument("start_method", 5)
        if method is None or START_PROCESSES not in call.callee.names_in(ev.world):
            continue
        if _forks(ev, call, None, (method,)):
            target = call.argument("fn", 0)
            runs, lambdas = _run_by_calling(ev, (target,) if target is not None else ())
            yield Fork(call, runs, lambdas, _passed(ev, call.argument("args", 1)))


def _classes_of_processes(ev: Evaluator) -> Iterator[Fork]:
    """Yield where objects of the project's subclasses of processes are made: their `run` is forked."""
    for file in files_holding(ev, ("Process)", "Process,")):
        for scope in file.index.scopes:
            if scope.kind != "class":
                continue
            kind = Class(file, scope)
            methods = {PROCESSES[base] for base in family(ev, kind) if isinstance(base, str) and base in PROCESSES}
            run = method_of(ev, kind, "run")
            for call in calls_anywhere(ev.project, scope.name) if run is not None and methods else ():
                forked = all(_forks(ev, call, method, ()) for method in methods)
                if forked and run is not None and any(one.value == kind for one in ev.evaluate(call.callee)):
                    yield Fork(call, (run,))


def _pools(ev: Evaluator) -> Iterator[Fork]:
    for file in files_holding(ev, ("Pool(", "PoolExecutor(")):
        for name in sorted({*POOL_CALLS, *EXECUTOR_CALLS}):
            for expression, statement in file.index.calls(name):
                call = Call(file, expression, statement)
                way = _way_into_pool(ev, call)
                if way is None or not call.arguments:
                    continue
                (runs, lambdas), rest = _run_by_calling(ev, call.arguments[:1]), call.arguments[1:]
                if way == AS_TUPLE:
                    yield Fork(call, runs, lambdas, _passed(ev, call.argument("args", 1)))
                elif way == AS_ITEMS:
                    yield Fork(call, runs, lambdas, items=rest)
                else:
                    yield Fork(call, runs, lambdas, (*rest, *call.keywords.values()))


def _way_into_pool(ev: Evaluator, call: Call) -> str | None:
    """Return how a call passes its arguments to the forked processes of a pool; None if it is no such call."""
    owners = ev.evaluate(call.owner) if call.owner is not None else ()
    ways: set[str | None] = set()
    for one in owners:
        if not isinstance(one.value, Built) or one.origin is None:
            return None
        name, made = (
            one.value.name,
            Call(one.origin.file, one.origin.expression, one.origin.statement, one.origin.frame),
        )
        contexts = [made.keywords[word] for word in CONTEXT_ARGUMENT if word in made.keywords]
        if name in EXECUTORS and _forks(ev, call, None, contexts):
            ways.add(EXECUTOR_CALLS.get(call.method))
        elif name in POOLS and _forks(ev, call, POOLS[name], contexts):
            ways.add(POOL_CALLS.get(call.method))
        else:
            return None
    return ways.pop() if len(ways) == 1 else None


def _forks(ev: Evaluator, call: Place, method: str | None, contexts: Iterable[Place]) -> bool:
    """Tell whether processes are forked, by their own start method, or that of a context argument."""
    given = list(contexts)
    if method is not None and not given:
        return method == FORK
    return start_methods(ev, call, given) <= {FORK, PYTHONS_DEFAULT}


def _run_by_calling(ev: Evaluator, callees: Iterable[Place]) -> tuple[tuple[Function, ...], tuple[Place, ...]]:
    """Return the functions of a project that calling these runs, and the lambdas among them."""
    functions: list[Function] = []
    lambdas: list[Place] = []
    for one in chain.from_iterable(ev.evaluate(callee) for callee in callees):
        match one.value:
            case Function() as function:
                functions.append(function)
            case Instance(kind=kind) if (method := method_of(ev, kind, "__call__", one)) is not None:
                functions.append(method)
            case Display(place=written) if isinstance(written.expression, ast.Lambda):
                lambdas.append(written)
    return tuple(functions), tuple(lambdas)


def _passed(ev: Evaluator, given: Place | None) -> tuple[Place, ...]:
    """Return the places of the arguments in `args=(x, y)` or `kwargs={"x": x}`, if these are displays."""
    shown = [
        one.value.place for one in (ev.evaluate(given) if given is not None else ()) if isinstance(one.value, Display)
    ]
    match shown:
        case [Place(expression=ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Dict(values=parts))]:
            return tuple(shown[0].at(part) for part in parts if not isinstance(part, ast.Starred))
        case _:
            return ()
