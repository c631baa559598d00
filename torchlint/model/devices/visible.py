"""How many GPUs a program makes visible by `CUDA_VISIBLE_DEVICES`, and the indices that are beyond them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.call_graph.importing import imported_files
from torchlint.model.calls import calls_of
from torchlint.model.containers.displays import elements_of
from torchlint.model.devices.cuda_start import cuda_start_before
from torchlint.model.devices.device_arguments import device_arguments
from torchlint.model.devices.literals import device_of
from torchlint.model.options.environment import EnvironmentStore, environment_stores
from torchlint.model.values.value_sets import Literal, ValueSet
from torchlint.pytorch.moves import TO_GPU
from torchlint.pytorch.symbols import DATA_PARALLEL, DEVICE, DISTRIBUTED

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile
    from torchlint.model.place import Place

VARIABLE = "CUDA_VISIBLE_DEVICES"
# An index, or the prefix of a UUID: https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cuda-environment-variables
_GPU = re.compile(r"\d+|(GPU|MIG)-[\w/-]+")


@dataclass(frozen=True, slots=True)
class AbsentDevice:
    """An index for which the program has no visible GPU."""

    place: Place
    count: int
    store: EnvironmentStore


def absent_devices(ev: Evaluator, file: ParsedFile) -> Iterator[AbsentDevice]:
    """Yield the GPUs that a file uses beyond those that the program makes visible, in source order."""
    visible = _visible(ev, file)
    if visible is None:
        return
    store, count = visible
    found: dict[tuple[str, int, int, int, int], AbsentDevice] = {}
    for argument, possible in _asked(ev, file):
        for one in possible:
            device = device_of(one.value)
            if device is None or device.kind != "cuda" or (device.index or 0) < count or _counts(argument):
                continue
            site = one.origin if one.origin is not None and one.origin.file is file else argument
            found.setdefault(site.key, AbsentDevice(site, count, store))
    for key in sorted(found):
        yield found[key]


def visible_gpus(text: str) -> int:
    """Return how many GPUs a value of the variable makes visible; the first that is none ends the list."""
    count = 0
    for part in text.split(","):
        if _GPU.fullmatch(part.strip()) is None:
            break
        count += 1
    return count


def is_without_gpus(ev: Evaluator, file: ParsedFile) -> bool:
    """Tell whether the program of a file hides all GPUs from itself: `os.environ["CUDA_VISIBLE_DEVICES"] = ""`."""
    return _counts_left(ev, file) == {0}


def _visible(ev: Evaluator, file: ParsedFile) -> tuple[EnvironmentStore, int] | None:
    """Return the store that determines how many GPUs are visible to a file, None if there is no certain one."""
    counts = _counts_left(ev, file)
    count = counts.pop() if len(counts) == 1 else None
    return (_stores(ev, file)[0], count) if count else None


def _counts_left(ev: Evaluator, file: ParsedFile) -> set[int | None]:
    """Return how many GPUs each store leaves visible."""
    return {_count(ev, store) for store in _stores(ev, file)}


def _stores(ev: Evaluator, file: ParsedFile) -> list[EnvironmentStore]:
    return list(environment_stores(file, VARIABLE)) or _stores_of_importers(ev, file)


def _stores_of_importers(ev: Evaluator, file: ParsedFile) -> list[EnvironmentStore]:
    """Return the stores of the project's programs, if they are all in one file and that imports this one."""
    paths = list(ev.project.library.holding(VARIABLE))
    only = ev.project.parsed(paths[0]) if len(paths) == 1 else None
    if only is None or file.location not in imported_files(ev, only.location):
        return []
    return list(environment_stores(only, VARIABLE))


def _count(ev: Evaluator, store: EnvironmentStore) -> int | None:
    """Return how many GPUs a store makes visible, None if that is open or the store may not count."""
    values = {one.value for one in ev.evaluate(store.value)}
    only = values.pop() if len(values) == 1 else None
    is_sure = all("__name__" in test.code for test, _ in store.place.tests) and "setdefault" not in store.place.code
    if not is_sure or not isinstance(only, Literal) or not isinstance(only.value, str):
        return None
    return visible_gpus(only.value) if cuda_start_before(ev, store.place) is None else None


def _asked(ev: Evaluator, file: ParsedFile) -> Iterator[tuple[Place, ValueSet]]:
    """Yield the device arguments of calls, alone and in the lists of wrappers."""
    for given in device_arguments(ev, file):
        if given.call.method in TO_GPU or given.is_sure:
            yield given.place, ev.evaluate(given.place)
        if DEVICE in given.call.callee.names and len(given.call.arguments) > 1:
            yield given.call.arguments[1], ev.evaluate(given.call.arguments[1])
    for call in calls_of(file, frozenset((DATA_PARALLEL, DISTRIBUTED))):
        for ids in (call.argument("device_ids", 1), call.argument("output_device", 2)):
            if ids is not None:
                possible = ev.evaluate(ids)
                yield ids, (*possible, *elements_of(ev, possible))


def _counts(place: Place) -> bool:
    """Tell whether a dominating condition compares the number of GPUs."""
    return any("device_count" in test.code for test, _ in place.tests)
