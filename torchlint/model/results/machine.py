"""What the machine of a world answers when a program queries its devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.values.value_sets import Device, Literal, Value
from torchlint.pytorch.device_queries import DEVICE_QUERIES

if TYPE_CHECKING:
    from torchlint.model.interface import Evaluator


def device_answer(ev: Evaluator, name: str) -> Value | None:
    """Return what a function surely returns on a machine of this world, None if that is open."""
    # An answer that reads the world is kept for this world alone.
    if (query := DEVICE_QUERIES.get(name)) is None:
        return None
    if ev.has_cuda is False:
        return Literal(query.without_cuda)
    if query.counts_gpus and (count := ev.gpus) is not None:
        return Literal(count)
    if ev.has_cuda is None or not query.with_cuda:
        return None
    (answer,) = query.with_cuda
    return Device(str(answer)) if query.gives_device else Literal(answer)
