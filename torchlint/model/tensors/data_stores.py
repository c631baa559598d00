"""Tensors whose data is replaced after they were made: `x.data = x.data.cuda()` moves `x`, which stays the same object.

`Module.cuda()` moves parameters so: https://github.com/pytorch/pytorch/blob/v2.13.0/torch/nn/modules/module.py. The
fixture unmoved-batch/good_data.py runs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from torchlint.model.containers.items import taken
from torchlint.model.place import Place
from torchlint.model.values.joins import either
from torchlint.model.values.value_sets import Device, Tensor, ValueSet
from torchlint.syntax.reaching_definitions import reaching
from torchlint.syntax.scope import Binding, Store
from torchlint.syntax.walk import is_written

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def with_data(ev: Evaluator, place: Place, name: str, possible: ValueSet, bindings: Sequence[Binding]) -> ValueSet:
    """Return what a name may be, given which of the stores into its `data` come last before a place."""
    stores = list(_stores(place, name))
    if not stores or not any(isinstance(one.value, Tensor) for one in possible):
        return possible
    definitions: list[Binding | Store] = [*bindings, *stores]
    last = reaching(place.file.index, definitions, place.statement, ev.decide(place)).definitions
    moved = [_on(possible, _device(ev, place, one)) for one in last if isinstance(one, Store)]
    is_kept = len(moved) < len(last) or not moved
    return either(*([possible] if is_kept else []), *moved)


def _stores(place: Place, name: str) -> Iterator[Store]:
    index = place.file.index
    for store in index.attribute_stores("data"):
        if is_written(store.target, name) and index.home[store.statement][0].scope is place.scope:
            yield store


def _device(ev: Evaluator, place: Place, store: Store) -> Device | None:
    """Return the device of what is stored, None if that is open."""
    if store.value is None:
        return None
    stored = taken(ev, ev.evaluate(Place(place.file, store.value, store.statement, place.frame)), store)
    devices = {one.value.device if isinstance(one.value, Tensor) else None for one in stored}
    return devices.pop() if len(devices) == 1 else None


def _on(possible: ValueSet, device: Device | None) -> ValueSet:
    return tuple(
        one.of_value(replace(one.value, device=device)) if isinstance(one.value, Tensor) else one for one in possible
    )
