"""Distributed training whose ranks all read the whole data."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.class_hierarchy import imported_bases
from torchlint.model.facts import fact_of_each_file
from torchlint.model.loop import Loop
from torchlint.model.parallel.wrappers import Wrapping, makes_distributed, wrapping
from torchlint.model.place import Place
from torchlint.model.roles import is_made_as
from torchlint.model.training.what_trains import step_loops_of
from torchlint.model.values.value_sets import Instance, Literal, Possibility
from torchlint.pytorch.roles import Role
from torchlint.pytorch.wrappers import WRAPPERS
from torchlint.syntax.closure import closure
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

# Words of code that divides the data otherwise.
_DIVIDED = re.compile(r"rank|shard|world|split_by|num_replicas|partition|seed|worker|node", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class UnshardedLoader:
    """A shuffling loader that a distributed training loop reads on every rank."""

    loader: Place
    loop: Place
    wrapping: Wrapping


@fact_of_each_file
def unsharded_loaders(ev: Evaluator) -> dict[str, list[UnshardedLoader]]:
    """Return the loaders of a project that give every rank all of the data, by file."""
    by_path: dict[str, list[UnshardedLoader]] = {}
    if not ev.project.once(makes_distributed):
        return by_path
    found: dict[object, UnshardedLoader] = {}
    for statement, file in step_loops_of(ev.project).loops.items():
        if isinstance(statement, ast.While):
            continue
        source = Place(file, statement.iter, statement)
        loaders = _loaders_in(ev, source)
        wrapped = _trained(ev, file, statement) if loaders else None
        if wrapped is not None and all(_reads_everything(ev, one) for one in loaders):
            for one in loaders:
                assert one.origin is not None
                found.setdefault(one.origin.key, UnshardedLoader(one.origin, source, wrapped))
    for lone in sorted(found.values(), key=lambda one: one.loader.key):
        by_path.setdefault(lone.loader.path, []).append(lone)
    return by_path


def _loaders_in(ev: Evaluator, place: Place) -> list[Possibility]:
    """Return the loaders that a loop iterates over, none if it may iterate over something else."""
    if isinstance(place.expression, ast.Call):
        for argument in place.expression.args[:1]:
            if inner := _loaders_in(ev, place.at(argument)):
                return inner
    possible = ev.evaluate(place)
    loaders = [one for one in possible if is_made_as(ev, one.value, Role.LOADER) and one.origin]
    return loaders if len(loaders) == len(possible) else []


def _trained(ev: Evaluator, file: ParsedFile, statement: ast.For | ast.AsyncFor) -> Wrapping | None:
    """Return the wrapper for one of several processes that each iteration of a loop calls unconditionally."""
    for call in Loop(file, statement).calls():
        possible = ev.evaluate(call.callee)
        wrappings = [wrapping(ev, one) for one in possible]
        if possible and all(one is not None and WRAPPERS[one.name].divides_data for one in wrappings):
            return wrappings[0]
    return None


def _reads_everything(ev: Evaluator, loader: Possibility) -> bool:
    """Tell whether a loader shuffles a whole dataset that is not divided."""
    assert loader.origin is not None
    call = loader.origin.expression
    assert isinstance(call, ast.Call)
    words = {word.arg: word.value for word in call.keywords}
    if not {"sampler", "batch_sampler", None}.isdisjoint(words) or len(call.args) > 3 or not call.args:
        return False
    shuffle = words.get("shuffle", call.args[2] if len(call.args) > 2 else None)
    if shuffle is None or any(one.value != Literal(True) for one in ev.evaluate(loader.origin.at(shuffle))):
        return False
    texts = "\n".join(_written(loader.origin.at(call.args[0])))
    return not _DIVIDED.search(texts) and not any(
        _is_divided(ev, o) for o in ev.evaluate(loader.origin.at(call.args[0]))
    )


def _written(place: Place) -> Iterator[str]:
    """Yield the text of an expression, and those of the values of its names, and of theirs."""
    return (one.code for one in closure(place, _held))


def _held(place: Place) -> Iterator[Place]:
    """Yield the values of the names in an expression."""
    names = (node.id for node in walk(place.expression) if isinstance(node, ast.Name))
    for binding in (one for name in names for one in place.scope.bindings.get(name, ())):
        if binding.value is not None and binding.kind == "assign":
            yield Place(place.file, binding.value, binding.statement)


def _is_divided(ev: Evaluator, dataset: Possibility) -> bool:
    """Tell whether a dataset is iterable, or mentions ranks itself."""
    if not isinstance(dataset.value, Instance):
        return False
    kind = dataset.value.kind
    if any("Iterable" in base for base in imported_bases(ev, kind)):
        return True
    node = kind.scope.node
    return isinstance(node, ast.ClassDef) and _DIVIDED.search(written(node)) is not None
