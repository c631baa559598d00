"""Calls that wrap a module to run on several GPUs, and the device that they require."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.containers.items import item
from torchlint.model.devices.literals import tensor_device
from torchlint.model.devices.placement import Placement, moved_afterwards, placement
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import Display, Imported, Value
from torchlint.model.worlds import BY_DEFAULT, WITH_CUDA
from torchlint.pytorch.aliases import canonical
from torchlint.pytorch.symbols import DATA_PARALLEL, DISTRIBUTED
from torchlint.syntax.arguments import has_open_keywords, has_star, passed

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile

_NAMES = ("DataParallel", "DistributedDataParallel")


@dataclass(frozen=True, slots=True)
class MisplacedModule:
    """A wrapping call whose first device is not that of the module's parameters."""

    place: Place
    first: int
    actual: Placement
    is_by_default: bool
    """Whether the defaults of options decide one of the two."""


def misplaced_modules(file: ParsedFile) -> Iterator[MisplacedModule]:
    """Yield the calls of DataParallel and DistributedDataParallel whose module provably is on another device.

    Options have their defaults where nothing is known without these.
    """
    found: set[ast.expr] = set()
    for world in (WITH_CUDA, BY_DEFAULT):
        for one in _misplaced(file.project.evaluator(world), file, world is BY_DEFAULT):
            if one.place.expression not in found:
                found.add(one.place.expression)
                yield one


def wrapped_for_several(ev: Evaluator, file: ParsedFile) -> Iterator[Place]:
    """Yield the calls of DistributedDataParallel that name several devices, of which each process takes one."""
    for call, statement in calls_that_wrap(file):
        place = Place(file, call, statement)
        ids = passed(call, "device_ids", 1)
        if ids is not None and wrapper_of(ev, place) == DISTRIBUTED and _are_several(ev, place.at(ids)):
            yield place


def _are_several(ev: Evaluator, ids: Place) -> bool:
    """Tell whether device ids surely are more than one: `[0, 1]`, or `range(2)`."""
    match ids.expression:
        case ast.Call(func=ast.Name(id="list"), args=[inner]):
            pass
        case inner:
            pass
    match inner:
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int() as count)]):
            return count > 1
    possible = ev.evaluate(ids.at(inner))
    return bool(possible) and all(_has_several(one.value) for one in possible)


def _has_several(ids: Value) -> bool:
    shown = ids.place.expression if isinstance(ids, Display) else None
    return isinstance(shown, (ast.List, ast.Tuple)) and len(shown.elts) > 1 and not has_star(shown.elts)


def _misplaced(ev: Evaluator, file: ParsedFile, is_by_default: bool) -> Iterator[MisplacedModule]:
    for call, statement in calls_that_wrap(file):
        place = Place(file, call, statement)
        name = wrapper_of(ev, place)
        first = _first_device(ev, place, name) if name is not None else None
        if first is None:
            continue
        later, is_moved_later = moved_afterwards(ev, place)
        actual = later if is_moved_later else placement(ev, place.at(call.args[0]))
        if actual is not None and first not in actual.indices:
            yield MisplacedModule(place, first, actual, is_by_default)


def calls_that_wrap(file: ParsedFile) -> Iterator[tuple[ast.Call, ast.stmt]]:
    """Yield the calls with the name of one of the wrappers, or of an import of one under another name."""
    names = set(_NAMES)
    for name, bindings in file.index.scope.bindings.items():
        if any(b.imported is not None and b.imported.name in _NAMES for b in bindings):
            names.add(name)
    for name in sorted(names):
        yield from (pair for pair in file.index.calls(name) if pair[0].args)


def wrapper_of(ev: Evaluator, place: Place) -> str | None:
    """Return the name of the wrapper that a call makes, None if it is none of these."""
    call = place.expression
    assert isinstance(call, ast.Call)
    names = (canonical(one.value.name) for one in ev.evaluate(place.at(call.func)) if isinstance(one.value, Imported))
    return next((name for name in names if name in {DATA_PARALLEL, DISTRIBUTED}), None)


def _first_device(ev: Evaluator, place: Place, name: str) -> int | None:
    """Return the index of the first device of a wrapper, or None if it is unknown or does not matter."""
    call = place.expression
    assert isinstance(call, ast.Call)
    ids = passed(call, "device_ids", 1)
    if ids is None or (isinstance(ids, ast.Constant) and ids.value is None):
        # https://docs.pytorch.org/docs/stable/generated/torch.nn.DataParallel.html: all devices, from the first on.
        return 0 if name == DATA_PARALLEL and not has_open_keywords(call) else None
    if _counts_from_zero(ids):
        return 0
    if name == DATA_PARALLEL and is_single(ids):
        return None  # moved there by the wrapper itself
    firsts = either(*(item(ev, one, 0) for one in ev.evaluate(place.at(ids))))
    device = tensor_device(firsts)
    return device.index if device is not None else None


def _counts_from_zero(ids: ast.expr) -> bool:
    """Tell whether device ids are `range(n)` or `list(range(n))`."""
    match ids:
        case ast.Call(func=ast.Name(id="list"), args=[inner]):
            return _counts_from_zero(inner)
        case ast.Call(func=ast.Name(id="range"), args=[_]):
            return True
        case _:
            return False


def is_single(ids: ast.expr) -> bool:
    """Tell whether device ids name one device: a DataParallel of it runs the module itself, without replicas."""
    return isinstance(ids, (ast.List, ast.Tuple)) and len(ids.elts) == 1
