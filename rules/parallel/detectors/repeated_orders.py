"""Epochs that iterate over the data in the same order: a DistributedSampler without `set_epoch`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from torchlint.model.call_graph.callees import callees_of
from torchlint.model.call_graph.importing import may_share_program
from torchlint.model.calls import calls_anywhere
from torchlint.model.containers.displays import lacks
from torchlint.model.containers.items import item
from torchlint.model.containers.refilling import put_under
from torchlint.model.facts import fact_of_each_file
from torchlint.model.headers import header
from torchlint.model.place import Place
from torchlint.model.roles import is_a
from torchlint.model.training.evaluation import comes_after_eval
from torchlint.model.training.grad_mode import is_recorded
from torchlint.model.values.joins import either
from torchlint.model.values.tabled import tabled
from torchlint.model.values.value_sets import Built, Display, Function, Imported, Unknown, ValueSet
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.roles import Role
from torchlint.pytorch.samplers import SHUFFLE_AT
from torchlint.pytorch.symbols import BATCH_SAMPLER, DISTRIBUTED_SAMPLER
from torchlint.syntax.arguments import has_open_keywords, passed
from torchlint.syntax.exits import loops_of
from torchlint.syntax.walk import walk, written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_EVALUATES = re.compile(r"(?<![a-z])(val|valid|validation|test|eval|dev)(?![a-z])", re.IGNORECASE)
_COUNTS = frozenset({"range", "trange", "count"})
Key: TypeAlias = "tuple[str, int, int, int, int]"


@dataclass(frozen=True, slots=True)
class RepeatedOrder:
    """A loop whose every iteration reads a loader in the order of the first one."""

    epochs: Place
    """The iterable of the loop."""
    sampler: Place
    iteration: Place


_NO_LOOPS: tuple[Place, ...] = ()


@fact_of_each_file
def repeated_orders(ev: Evaluator) -> dict[str, list[RepeatedOrder]]:
    """Return the epoch loops of a project that repeat the order of their data, by file."""
    samplers = {sampler.key: sampler for sampler in _shuffling_samplers(ev)}
    for epoch_call in calls_anywhere(ev.project, "set_epoch") if samplers else ():
        for key in _informed(ev, epoch_call, samplers):
            samplers.pop(key, None)
    found: dict[Key, RepeatedOrder] = {}
    loaders = _loaders_of(ev, samplers) if samplers else {}
    # What is iterated over elsewhere is none of these loaders, and to evaluate it takes long in a large project.
    makers = {sampler.path: sampler.file for sampler in loaders.values()}.values()
    for path in ev.project.library.paths if loaders else ():
        file = ev.project.parsed(path)
        if file is not None and any(may_share_program(ev, maker, file) for maker in makers):
            for iteration, loader in _iterations(ev, file, loaders):
                for header in _epoch_loops(ev, iteration):
                    found.setdefault(header.key, RepeatedOrder(header, loader, iteration))
    by_path: dict[str, list[RepeatedOrder]] = {}
    for one in sorted(found.values(), key=lambda one: one.epochs.key):
        by_path.setdefault(one.epochs.path, []).append(one)
    return by_path


def _shuffling_samplers(ev: Evaluator) -> Iterator[Place]:
    """Yield the calls that make a DistributedSampler which surely shuffles, and is not for evaluation."""
    for place in calls_anywhere(ev.project, "DistributedSampler"):
        call = place.expression
        assert isinstance(call, ast.Call)
        made = {canonical(o.value.name) for o in ev.evaluate(place.at(call.func)) if isinstance(o.value, Imported)}
        shuffle = passed(call, "shuffle", SHUFFLE_AT)
        if DISTRIBUTED_SAMPLER not in made or (shuffle is not None and ev.truth(place.at(shuffle)) is not True):
            continue
        names = " ".join((*_targets(place), *(written(one) for one in call.args[:1])))
        if has_open_keywords(call) or _EVALUATES.search(names):
            continue
        yield place


def _targets(place: Place) -> Iterator[str]:
    if isinstance(place.statement, ast.Assign):
        yield from (written(target) for target in place.statement.targets)


def _informed(ev: Evaluator, epoch_call: Place, samplers: dict[Key, Place]) -> list[Key]:
    """Return the samplers that a `….set_epoch(…)` may be for: its receivers, or any nearby if unknown."""
    call = epoch_call.expression
    assert isinstance(call, ast.Call)
    # The same number every time, or once before all epochs, gives the order that the sampler has anyway.
    if not isinstance(call.func, ast.Attribute) or isinstance(passed(call, "epoch", 0), ast.Constant):
        return []
    possible = ev.evaluate(epoch_call.at(call.func.value))
    if not possible or any(isinstance(one.value, Unknown) for one in possible):
        return [key for key, sampler in samplers.items() if may_share_program(ev, epoch_call.file, sampler.file)]
    # `loader.sampler.set_epoch(epoch)` is unknown, too: the attributes of a loader are not followed.
    return [one.origin.key for one in possible if one.origin is not None]


def _loaders_of(ev: Evaluator, samplers: dict[Key, Place]) -> dict[Key, Place]:
    """Return the sampler of each loader that takes its order from one of them."""
    found = {}
    for place in calls_anywhere(ev.project, "DataLoader"):
        given = passed(place.expression, "sampler", 3) or passed(place.expression, "batch_sampler")
        for one in ev.evaluate(place.at(given)) if given is not None else _given_by_dict(ev, place, "sampler"):
            if isinstance(one.value, Built) and one.origin is not None:
                key = one.origin.key
                if one.value.name == BATCH_SAMPLER:
                    inner = passed(one.origin.expression, "sampler", 0)
                    origins = [o.origin for o in ev.evaluate(one.origin.at(inner))] if inner is not None else []
                    key = next((o.key for o in origins if o is not None), key)
                if key in samplers:
                    found[place.key] = samplers[key]
    return found


def _given_by_dict(ev: Evaluator, call: Place, name: str) -> ValueSet:
    """Return what a call passes by a name in a dict: `DataLoader(data, **options)`."""
    assert isinstance(call.expression, ast.Call)
    mappings = [call.at(word.value) for word in call.expression.keywords if word.arg is None]
    return either(*(_under(ev, mapping, name) for mapping in mappings))


def _under(ev: Evaluator, mapping: Place, name: str) -> ValueSet:
    """Return what a dict holds under a name at a read, also if it was stored later, or by what returns the dict."""
    displays = [one for one in ev.evaluate(mapping) if isinstance(one.value, Display)]
    held = [item(ev, one, name) for one in displays if not lacks(one, name)]
    returned: list[ValueSet] = []
    for function in callees_of(ev, mapping) if isinstance(mapping.expression, ast.Call) else ():
        results = (Place(function.file, one.value, one) for one in function.scope.returns if one.value is not None)
        returned += [put_under(ev, result, name) for result in results]
    return either(put_under(ev, mapping, name), *held, *returned)


def _iterations(ev: Evaluator, file: ParsedFile, loaders: dict[Key, Place]) -> Iterator[tuple[Place, Place]]:
    """Yield where a file iterates over one of the loaders to train, with the loader's sampler."""
    for statement in file.index.home:
        sources = [statement.iter] if isinstance(statement, (ast.For, ast.AsyncFor)) else []
        sources += [node.iter for node in file.parents_in(statement) if isinstance(node, ast.comprehension)]
        for source in sources:
            place = Place(file, source, statement)
            sampler = _loader_in(ev, place, loaders)
            if sampler is not None and not _is_evaluation(place):
                yield place, sampler


def _loader_in(ev: Evaluator, place: Place, loaders: dict[Key, Place]) -> Place | None:
    """Return the sampler of what is iterated over: a loader, or `enumerate(loader)`, `tqdm(loader)`."""
    if isinstance(place.expression, ast.Call):
        arguments = (place.at(argument) for argument in place.expression.args)
        inner = (_loader_in(ev, argument, loaders) for argument in arguments)
        if (found := next((one for one in inner if one is not None), None)) is not None:
            return found
    if not isinstance(place.expression, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        return None
    for one in ev.evaluate(place):
        if one.origin is not None and one.origin.key in loaders and isinstance(one.value, Built):
            return loaders[one.origin.key] if is_a(ev, one.value, Role.LOADER) else None
    return None


def _is_evaluation(place: Place) -> bool:
    is_named_so = _EVALUATES.search(place.code) is not None
    return is_named_so or not is_recorded(place) or comes_after_eval(place, place.statement)


@tabled(_NO_LOOPS)
def _epoch_loops(ev: Evaluator, place: Place) -> tuple[Place, ...]:
    """Return the counting loops directly around a place, in its function or else in its callers."""
    for loop in loops_of(place.file.index, place.statement):
        if _counts(loop):
            return (header(place.file, loop),)
    if place.scope.kind != "function" or _EVALUATES.search(place.scope.name):
        return ()
    callers = ev.callers(Function(place.file, place.scope))
    return tuple(loop for caller in callers for loop in _epoch_loops(ev, caller.place))


def _counts(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Tell whether a loop repeats its body: `while …`, `for epoch in range(…)`, and not `for name in names`."""
    if isinstance(loop, ast.While) or "epoch" in written(loop.target).lower():
        return True
    calls = (node.func for node in walk(loop.iter) if isinstance(node, ast.Call))
    return any((f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")) in _COUNTS for f in calls)
