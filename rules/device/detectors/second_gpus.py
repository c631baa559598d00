"""GPUs beyond the first that a program assumes to exist after it only checked that there is any."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.devices.requests import DeviceRequest, cuda_requests
from torchlint.model.devices.visible import VARIABLE
from torchlint.model.guards.cuda import is_guarded
from torchlint.model.place import Place
from torchlint.model.values.value_sets import Device, Possibility
from torchlint.model.worlds import WITHOUT_CUDA

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator, ParsedFile


@dataclass(frozen=True, slots=True)
class AssumedGpu:
    """A device with an index that a machine with one GPU does not have."""

    place: Place
    """The literal: `"cuda:1"`."""
    used: Place
    index: int


def assumed_gpus(ev: Evaluator, file: ParsedFile) -> Iterator[AssumedGpu]:
    """Yield the GPUs beyond the first that a file surely requests; `ev` answers for a machine with one."""
    # A program that sets which GPUs it has is for one machine.
    if ev.project.library.holding(VARIABLE):
        return
    found: dict[tuple[object, ...], AssumedGpu] = {}
    for request in cuda_requests(ev, file):
        devices = request.devices(ev)
        if not all(_is_written(file, *pair) for pair in devices) or not _is_prepared(ev, request):
            continue
        if is_guarded(ev, request.call):
            continue
        for device, one in devices:
            if one is not None and one.origin is not None and not is_guarded(ev, one.origin):
                found.setdefault(one.origin.key, AssumedGpu(one.origin, request.call, device.index or 0))
    yield from (found[key] for key in sorted(found))


def _is_written(file: ParsedFile, device: Device, one: Possibility | None) -> bool:
    """Tell whether a device is another GPU than the first, by a literal in a file."""
    origin = one.origin if one is not None else None
    is_further = device.kind == "cuda" and (device.index or 0) > 0
    return is_further and origin is not None and origin.file is file and isinstance(origin.expression, ast.Constant)


def _is_prepared(ev: Evaluator, request: DeviceRequest) -> bool:
    """Tell whether a request is guarded against machines without CUDA: an unguarded program is for one machine."""
    without = ev.project.evaluator(WITHOUT_CUDA)
    return not request.asks_for_cuda(without) or is_guarded(without, request.call)
