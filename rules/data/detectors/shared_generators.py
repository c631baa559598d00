"""Random number generators that a dataset or its transform makes once: each worker has a copy, and draws the same.

Workers are forked from the process that made the dataset, or receive it pickled; only the global generators of Python,
NumPy and PyTorch are seeded in each (torch/utils/data/_utils/worker.py, torch 2.13). A worker is started in every
epoch, unless it is persistent. https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family
from torchlint.model.calls import Call, calls_anywhere, calls_of
from torchlint.model.place import Place
from torchlint.model.tensors.loader_arguments import loader_argument, may_start_workers
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Class, Instance, Literal
from torchlint.pytorch.classes import names_a
from torchlint.pytorch.generators import GENERATORS
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import LOADER
from torchlint.syntax.around import class_around, is_self

from .drawing import draw_of, run_for_samples

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope, Store

_BY_WORKER = "get_worker_info"
_NONE: tuple[tuple[Call, Class], ...] = ()


@dataclass(frozen=True, slots=True)
class SharedGenerator:
    """Where an object makes a generator, where it draws from it, and the loader whose workers all do."""

    made: Call
    draw: Place
    loader: Call


def shared_generators(ev: Evaluator, file: ParsedFile) -> Iterator[SharedGenerator]:
    """Yield the generators that objects of a file make once and draw from in several workers."""
    for made in calls_of(file, GENERATORS):
        kind, name = class_around(made), _attribute(made)
        if kind is None or not name or _BY_WORKER in file.code_of(kind.node) or not _is_of_constructor(made):
            continue
        if any(_may_replace(file, kind, store, made) for store in file.index.attribute_stores(name)):
            continue
        found = _drawn(ev, Class(file, kind), name)
        if found is not None:
            yield SharedGenerator(made, *found)


def _is_of_constructor(made: Call) -> bool:
    """Tell whether a call is in a constructor, or in a method that only constructors call."""
    if made.scope.name == "__init__":
        return True
    calls = list(calls_anywhere(made.file.project, made.scope.name))
    return bool(calls) and all(call.scope.name == "__init__" for call in calls)


def _attribute(made: Call) -> str:
    """Return the name of the object's attribute that a call is assigned to, if it is the only target."""
    match made.statement:
        case (
            ast.Assign(targets=[ast.Attribute(value=owner, attr=name)], value=value)
            | ast.AnnAssign(target=ast.Attribute(value=owner, attr=name), value=value)
        ) if value is made.expression and is_self(owner):
            return name
        case _:
            return ""


def _may_replace(file: ParsedFile, kind: Scope, store: Store, made: Call) -> bool:
    """Tell whether a store is another one into the attribute: of the class itself, or of an unknown object."""
    if store.statement is made.statement:
        return False
    return not is_self(store.target) or file.index.home[store.statement][0].scope.outer is kind


def _drawn(ev: Evaluator, kind: Class, name: str) -> tuple[Place, Call] | None:
    """Return where objects draw from an attribute for the samples of a loader with workers, and that loader.

    They are datasets, or what a dataset calls for its samples, as a transform: not what it makes for each.
    """
    for loader, dataset in _loaded(ev) if kind.file.attribute_reads(name) else ():
        run = run_for_samples(ev, dataset)
        draw = draw_of(kind, name, run)
        if draw is not None and not any(call.scope in run for call in calls_anywhere(ev.project, kind.scope.name)):
            return draw, loader
    return None


@tabled(_NONE)
def _loaded(ev: Evaluator) -> tuple[tuple[Call, Class], ...]:
    """Return the loaders that draw from a dataset in workers and do not distinguish them, each with a dataset."""
    found: list[tuple[Call, Class]] = []
    for call in calls_anywhere(ev.project, LOADER.rpartition(".")[2]):
        dataset, workers = loader_argument(call, "dataset"), loader_argument(call, "num_workers")
        if dataset is None or workers is None or call.is_open or not names_a(call.callee.names, Role.LOADER):
            continue
        if _is_seeding(ev, call) or not may_start_workers(ev, workers):
            continue
        kinds = [one.value.kind for one in ev.evaluate(dataset) if isinstance(one.value, Instance)]
        found += ((call, kind) for kind in kinds if not _distinguishes(ev, kind))
    return tuple(found)


def _distinguishes(ev: Evaluator, kind: Class) -> bool:
    """Tell whether a dataset asks which worker it is in."""
    own = (one for one in family(ev, kind) if isinstance(one, Class))
    return any(_BY_WORKER in one.file.code_of(one.scope.node) for one in own)


def _is_seeding(ev: Evaluator, loader: Call) -> bool:
    given = loader_argument(loader, "worker_init_fn")
    return given is not None and any(one.value != Literal(None) for one in ev.evaluate(given))
