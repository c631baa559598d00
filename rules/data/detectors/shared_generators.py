"""Random number generators that a dataset makes once: each worker of a loader gets a copy, and draws the same.

Workers are forked from the process that made the dataset, or receive it pickled; only the global generators of Python,
NumPy and PyTorch are seeded in each (torch/utils/data/_utils/worker.py, torch 2.13). A worker is started in every
epoch, unless it is persistent. https://docs.pytorch.org/docs/stable/data.html#randomness-in-multi-process-data-loading
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import family, method_of
from torchlint.model.calls import Call, calls_anywhere, calls_of
from torchlint.model.place import Place
from torchlint.model.tensors.loader_arguments import loader_argument, may_start_workers
from torchlint.model.values.value_sets import Class, Function, Instance, Literal
from torchlint.pytorch.classes import names_a
from torchlint.pytorch.generators import GENERATORS
from torchlint.pytorch.loaders import SAMPLING
from torchlint.pytorch.roles import Role
from torchlint.pytorch.symbols import LOADER
from torchlint.syntax.around import class_around, is_self

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.syntax.scope import Scope, Store

_BY_WORKER = "get_worker_info"


@dataclass(frozen=True, slots=True)
class SharedGenerator:
    """Where a dataset makes a generator, where it draws from it, and the loader whose workers all do."""

    made: Call
    draw: Place
    loader: Call


def shared_generators(ev: Evaluator, file: ParsedFile) -> Iterator[SharedGenerator]:
    """Yield the generators that the datasets of a file make once and draw from in several workers."""
    for made in calls_of(file, GENERATORS):
        kind, name = class_around(made), _attribute(made)
        if kind is None or not name or made.scope.name != "__init__" or _BY_WORKER in file.code_of(kind.node):
            continue
        if any(_may_replace(file, kind, store, made) for store in file.index.attribute_stores(name)):
            continue
        draw = _draw(ev, Class(file, kind), name)
        loader = _loader(ev, Class(file, kind)) if draw is not None else None
        if draw is not None and loader is not None:
            yield SharedGenerator(made, draw, loader)


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


def _draw(ev: Evaluator, kind: Class, name: str) -> Place | None:
    """Return where a dataset draws from an attribute for an item, in any of its methods."""
    scopes = {method.scope for method in _asked_for_items(ev, kind)}
    reads = (Place(kind.file, read, at) for read, at in kind.file.attribute_reads(name) if is_self(read.value))
    return next((place for place in reads if place.scope in scopes), None)


def _asked_for_items(ev: Evaluator, kind: Class) -> list[Function]:
    """Return the methods of a dataset that a loader calls, and those of its own that these call."""
    found = [method for method in (method_of(ev, kind, name) for name in SAMPLING) if method is not None]
    for method in found:
        for call, _ in method.file.calls_in_scope(method.scope):
            if isinstance(call.func, ast.Attribute) and is_self(call.func.value):
                further = method_of(ev, kind, call.func.attr)
                if further is not None and further.scope not in {one.scope for one in found}:
                    found.append(further)
    return found


def _loader(ev: Evaluator, kind: Class) -> Call | None:
    """Return a loader that draws from a dataset in workers, and does nothing to distinguish them."""
    for call in calls_anywhere(ev.project, LOADER.rpartition(".")[2]):
        dataset, workers = loader_argument(call, "dataset"), loader_argument(call, "num_workers")
        if dataset is None or workers is None or call.is_open or not names_a(call.callee.names, Role.LOADER):
            continue
        if _is_seeding(ev, call) or not may_start_workers(ev, workers):
            continue
        kinds = [one.value.kind for one in ev.evaluate(dataset) if isinstance(one.value, Instance)]
        if any(kind in family(ev, one) for one in kinds):
            return call
    return None


def _is_seeding(ev: Evaluator, loader: Call) -> bool:
    given = loader_argument(loader, "worker_init_fn")
    return given is not None and any(one.value != Literal(None) for one in ev.evaluate(given))
