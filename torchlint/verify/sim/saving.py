"""Checkpoints record their GPU, and another machine may not have it."""

from __future__ import annotations

from contextlib import ExitStack

import torch
from torch.serialization import STORAGE, register_package

from torchlint.verify.sim.state import is_running, running
from torchlint.verify.sim.tags import gpu_of_storage, put_storage

# The CPU's own is 10, and would claim every storage.
_BEFORE_THE_CPU = 5
NO_GPU = (
    "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. "
    "If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') "
    "to map your storages to the CPU."
)
TOO_FEW = (
    "Attempting to deserialize object on CUDA device {index} but torch.cuda.device_count() is {count}. "
    "Please use torch.load with map_location to map your storages to an existing device."
)


def location_of(storage: STORAGE) -> str | None:
    """Return the GPU that a storage is saved from, None if it is on the CPU."""
    gpu = gpu_of_storage(getattr(storage, "_untyped_storage", storage))
    return None if gpu is None else f"cuda:{gpu}"


def restored(storage: STORAGE, location: str) -> STORAGE | None:
    """Restore a storage to its device; None leaves it to other handlers."""
    if not is_running() or not location.startswith("cuda"):
        return None
    count = running().machine.visible()
    if count == 0:
        raise RuntimeError(NO_GPU)
    index = torch.device(location).index or 0
    if index >= count:
        raise RuntimeError(TOO_FEW.format(index=index, count=count))
    put_storage(getattr(storage, "_untyped_storage", storage), running().machine.index(index))
    return storage


def install(stack: ExitStack) -> None:
    """Register for saving and loading."""
    register_package(_BEFORE_THE_CPU, location_of, restored)
    stack.callback(_withdraw)


def _withdraw() -> None:
    # Private: there is a public function to register, and none to undo it.
    packages = torch.serialization._package_registry
    packages[:] = [package for package in packages if package[1] is not location_of]
