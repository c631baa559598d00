"""The device of a tensor: a mark on its storage, which its views, `detach()`, `.data` and parameters share."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import TypeVar

import torch
from torch import Tensor

from torchlint.verify.installed import Torch

CPU = torch.device("cpu")
_MARK, _PINNED = "_torchlint_gpu", "_torchlint_pinned"
# Before 2.10 the collector clears storages in cycles, though C++ goes on using them (pytorch/pytorch#136358).
_COLLECTOR_EMPTIES = Torch(torch.__version__).numbers < (2, 10)
_storage_of = torch._C.TensorBase.untyped_storage
Value = TypeVar("Value")


def gpu_of(tensor: Tensor) -> int | None:
    """Return the index of the pretend GPU that holds a tensor, or None for the CPU."""
    storage = storage_of(tensor)
    return None if storage is None else gpu_of_storage(storage)


def gpu_of_storage(storage: object) -> int | None:
    """Return the index of the pretend GPU that a storage is on, or None for the CPU."""
    gpu: int | None = getattr(storage, _MARK, None)
    return gpu


def put(tensor: Tensor, gpu: int | None) -> Tensor:
    """Mark a tensor as on a GPU, or on the CPU; nothing is copied."""
    storage = storage_of(tensor)
    if storage is not None:
        put_storage(storage, gpu)
    return tensor


def put_storage(storage: object, gpu: int | None) -> None:
    """Mark a storage as on a GPU, or on the CPU."""
    if gpu is not None:
        setattr(storage, _MARK, gpu)
        _keep(storage)
    elif hasattr(storage, _MARK):
        delattr(storage, _MARK)


def _keep(storage: object) -> None:
    """Keep the collector away from a storage; it holds nothing that could be part of a cycle."""
    if _COLLECTOR_EMPTIES:
        ctypes.pythonapi.PyObject_GC_UnTrack(ctypes.py_object(storage))


def pin(tensor: Tensor) -> Tensor:
    """Mark a tensor as in pinned memory."""
    check_pinnable(tensor)
    storage = storage_of(tensor)
    if storage is not None:
        setattr(storage, _PINNED, True)
        _keep(storage)
    return tensor


def check_pinnable(tensor: Tensor) -> None:
    """Reject what is on a GPU, with PyTorch's error: ATen/native/Memory.cpp."""
    if gpu_of(tensor) is not None:
        raise RuntimeError(f"cannot pin '{tensor.type()}' only dense CPU tensors can be pinned")


def is_pinned(tensor: Tensor) -> bool:
    """Tell whether a tensor counts as pinned."""
    storage = storage_of(tensor)
    return storage is not None and hasattr(storage, _PINNED)


def device_of(gpu: int | None) -> torch.device:
    """Return the device that a program would see."""
    return CPU if gpu is None else torch.device("cuda", gpu)


def storage_of(tensor: Tensor) -> torch.UntypedStorage | None:
    """Return the storage of a tensor; sparse and meta tensors have none."""
    try:
        with torch._C.DisableTorchFunction():
            return _storage_of(tensor)
    except (RuntimeError, NotImplementedError):
        return None


def tensors_in(*values: object) -> list[Tensor]:
    """Return the tensors in nested tuples, lists and dictionaries."""
    found: list[Tensor] = []
    _collect(values, found)
    return found


def _collect(values: Iterable[object], found: list[Tensor]) -> None:
    # Called for every argument of every operation: no generators, no copies.
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            _collect(value, found)
        elif isinstance(value, dict):
            _collect(value.values(), found)
