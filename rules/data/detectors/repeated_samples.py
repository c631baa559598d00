"""Iterable datasets of which every worker of a loader yields all samples, for none asks which worker it is.

Each worker has a copy of the dataset and calls its `__iter__` (torch/utils/data/_utils/worker.py, torch 2.13).
https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.calls import Call, calls_anywhere
from torchlint.model.headers import name_of
from torchlint.model.place import Place
from torchlint.model.tensors.loader_arguments import is_iterable_dataset, loader_argument
from torchlint.model.values.value_sets import Array, Class, Display, Function, Instance, Literal, Tensor, Text
from torchlint.pytorch.classes import names_a
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import LOADER
from torchlint.syntax.iterated import sources_of
from torchlint.syntax.last_names import callee_name, last_name
from torchlint.syntax.walk import walk

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_MOST_FUNCTIONS = 12
# What says how workers or ranks part the samples, wherever that is done.
_PARTING = re.compile(r"worker|rank|world_size|num_shards|shard_id|split_by|islice", re.IGNORECASE)
# What is called so is gone through as it is; a dataset of another package may know of workers itself.
_PLAIN = re.compile(r".*(files?|paths?|shards|urls|lines|rows|records|samples|texts|sentences|examples|indices|names)")
_LISTING = frozenset({"list", "sorted", "tuple", "glob", "listdir", "open", "iterdir", "reversed", "splitlines"})


@dataclass(frozen=True, slots=True)
class RepeatedSamples:
    """What the `__iter__` of a dataset goes over, and the loader of which each worker does."""

    place: Place
    loader: Call


def repeated_samples(ev: Evaluator, file: ParsedFile) -> Iterator[RepeatedSamples]:
    """Yield the datasets of a file of whose samples a loader has each as many times as it has workers."""
    for scope in file.index.scopes:
        kind = Class(file, scope)
        if scope.kind != "class" or not is_iterable_dataset(ev, kind):
            continue
        method = method_of(ev, kind, "__iter__")
        if method is None or method.file is not file or method.scope.outer is not scope:
            continue
        source = _source(ev, method)
        if source is not None and (loader := _loader(ev, kind)) is not None:
            yield RepeatedSamples(source, loader)


def _source(ev: Evaluator, method: Function) -> Place | None:
    """Return what a method goes over that is there, and has an end, and that nothing parts among workers.

    Where a function does that which the method calls, it is the name of the method.
    """
    functions = _called(ev, method)
    nodes = (node for one in functions for node in walk(one.scope.node))
    assert method.scope.outer is not None
    texts = [method.file.code_of(method.scope.outer.node), *(one.file.code_of(one.scope.node) for one in functions)]
    if any(isinstance(node, ast.While) for node in nodes) or any(map(_PARTING.search, texts)):
        return None
    sources = [place for one in functions for place in _iterables(one) if _is_of_samples(ev, place)]
    if not sources:
        return None
    return sources[0] if sources[0].scope is method.scope else name_of(method.file, method.scope)


def _called(ev: Evaluator, method: Function) -> list[Function]:
    """Return a function and those of the project that it comes to, nearest first."""
    found = [method]
    for one in found:
        for call, statement in one.file.calls_in_scope(one.scope):
            for function in callees_of(ev, Place(one.file, call, statement)):
                if len(found) < _MOST_FUNCTIONS and function.scope not in {known.scope for known in found}:
                    found.append(function)
    return found


def _iterables(function: Function) -> Iterator[Place]:
    """Yield what the loops of a function go over, and what it yields from or makes an iterator of."""
    file = function.file
    for one in file.index.statements(ast.For):
        if file.index.home[one][0].scope is function.scope and not _is_counted_alone(one):
            yield Place(file, one.iter, one)
    for kind in (ast.YieldFrom, ast.Call):
        for expression, statement in file.index.expressions(kind):
            if file.index.home[statement][0].scope is not function.scope:
                continue
            match expression:
                case ast.YieldFrom(value=value):
                    yield Place(file, value, statement)
                case ast.Call(func=ast.Name(id="iter" | "map"), args=[*_, value]) if isinstance(statement, ast.Return):
                    yield Place(file, value, statement)


def _is_counted_alone(loop: ast.For) -> bool:
    """Tell whether a loop only counts how many samples it makes: `for _ in range(n): yield sample()`."""
    is_range = isinstance(loop.iter, ast.Call) and callee_name(loop.iter) == "range"
    used = (one for statement in loop.body for one in walk(statement) if isinstance(one, ast.Name))
    return is_range and not any(one.id == last_name(loop.target) for one in used)


def _is_of_samples(ev: Evaluator, place: Place) -> bool:
    """Tell whether what is gone through is a list, an array or a file, which is the same in all workers."""
    expression = place.expression
    if isinstance(expression, ast.Call):
        name = callee_name(expression)
        if name in _LISTING | {"range"}:
            return True
        through = expression.args[-1:] if name == "map" else list(sources_of(expression))
        last = through[-1] if through else expression
        if last is not expression:
            return _is_of_samples(ev, place.at(last))
    possible = ev.evaluate(place)
    if possible and all(isinstance(one.value, (Display, Array, Tensor, Literal, Text)) for one in possible):
        return True
    made = [one.origin.expression for one in possible if one.origin is not None]
    if made and len(made) == len(possible) and all(_lists(one) for one in made):
        return True
    return bool(_PLAIN.fullmatch(last_name(expression).lower()))


def _lists(made: ast.expr) -> bool:
    return isinstance(made, ast.Call) and callee_name(made) in _LISTING


def _loader(ev: Evaluator, kind: Class) -> Call | None:
    """Return a loader that goes through a dataset in several workers."""
    for call in calls_anywhere(ev.project, LOADER.rpartition(".")[2]):
        dataset, workers = loader_argument(call, "dataset"), loader_argument(call, "num_workers")
        if dataset is None or workers is None or call.is_open or not names_a(call.callee.names, Role.LOADER):
            continue
        if loader_argument(call, "worker_init_fn") is not None or not _are_several(ev, workers):
            continue
        kinds = [one.value.kind for one in ev.evaluate(dataset) if isinstance(one.value, Instance)]
        if any(kind in family(ev, one) for one in kinds):
            return call
    return None


def _are_several(ev: Evaluator, workers: Place) -> bool:
    values = [one.value.value for one in ev.evaluate(workers) if isinstance(one.value, Literal)]
    return any(isinstance(one, int) and one > 1 for one in values)
