"""Tensors that are surely on a certain GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torchlint.model.devices.operands import alternatives
from torchlint.model.place import Place
from torchlint.model.tensors.plain_numbers import is_plain
from torchlint.model.values.value_sets import SOME_INDEX, Device, Tensor

if TYPE_CHECKING:
    from torchlint.finding import Step
    from torchlint.model.interface import Evaluator

_ORDINALS = ("first", "second", "third", "fourth")


@dataclass(frozen=True, slots=True)
class OnGpu:
    """Something that is surely on a GPU, on one of these."""

    place: Place
    indices: frozenset[int]
    moved_at: Place | None
    """Where a tensor was made there or moved there; None for a module."""
    is_by_default: bool = False
    """Whether an option names the GPU, which is there if it has its default."""

    @property
    def named(self) -> str:
        """Return the GPUs by their names."""
        return "GPU " + " or ".join(str(index) for index in sorted(self.indices))

    @property
    def step(self) -> Step:
        """Return the step of a trace that shows it."""
        words = f"on {self.named} here{_when(self.place)}{' by default' if self.is_by_default else ''}"
        return (self.moved_at or self.place).step(words, is_assumed=self.is_by_default)


def _when(place: Place) -> str:
    """Return in which iteration of a loop a place is, in words."""
    iterations = place.frame.iterations if place.frame is not None else ()
    return f" in the {_ORDINALS[iterations[-1][1]]} iteration" if iterations else ""


def those_on_gpus(ev: Evaluator, operands: list[Place]) -> list[OnGpu]:
    """Return the operands that are surely on a GPU; hardly any operation has one, and the others are not evaluated."""
    asked = [one for one in operands if not is_plain(one)]
    given: list[OnGpu] = []
    # Of two, the right one is a number more often.
    while len(given) + len(asked) > 1 and asked:
        if (one := on_gpu(ev, asked.pop())) is not None:
            given.insert(0, one)
    return given


def on_gpu(ev: Evaluator, place: Place) -> OnGpu | None:
    """Return the GPUs that a tensor surely is on; None if it may be anywhere else, or be anything else."""
    possible = alternatives(ev, place)
    indices = frozenset(index_of(one.value.device) for one in possible if isinstance(one.value, Tensor))
    if not indices or None in indices or not all(isinstance(one.value, Tensor) for one in possible):
        return None
    return OnGpu(place, frozenset(one for one in indices if one is not None), possible[0].origin)


def index_of(device: Device | None) -> int | None:
    """Return the index of a device if it is a GPU with a known one."""
    if device is None or device.kind != "cuda" or device.index is None or device.index == SOME_INDEX:
        return None
    return device.index
