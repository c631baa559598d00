"""Calls that make tensors: for a simulated GPU they run on the CPU, and their results are marked."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar, cast

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack
from torch.utils._device import DeviceContext, _device_constructors

from torchlint.pytorch.waits import Kind
from torchlint.verify.replacing import replace
from torchlint.verify.sim.machine import Device
from torchlint.verify.sim.moving import move
from torchlint.verify.sim.state import Simulation, running
from torchlint.verify.sim.tags import gpu_of, pin, put, tensors_in

Value = TypeVar("Value")

# These read their numbers in C++ with the modes switched off, so they are replaced by name.
_FROM_NUMBERS = tuple(
    function for name in ("tensor", "as_tensor", "asarray") if (function := getattr(torch, name, None)) is not None
)
_MAKERS = (
    {function.__name__ for function in _device_constructors()}
    | {f"{name}_like" for name in ("zeros", "ones", "rand", "randn", "randint", "full", "empty")}
    | {f"new_{name}" for name in ("zeros", "ones", "full", "empty", "tensor", "empty_strided")}
    | {"normal", "complex", "empty_strided", "from_file"}
)


class Calls(TorchFunctionMode):
    """Sees each call that the program makes into PyTorch."""

    def __init__(self, simulation: Simulation) -> None:
        super().__init__()
        self._simulation = simulation

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        started = time.perf_counter()
        kwargs = dict(kwargs or {})
        makes = func in _device_constructors()
        if makes and kwargs.get("device") is None:
            kwargs["device"] = _default_device()
        if func not in _FROM_NUMBERS and (kwargs.get("device") is not None or kwargs.get("pin_memory")):
            return made(func, args, kwargs)
        before = self._simulation.working_on
        self._simulation.working_on = None if makes else _first_gpu(args, kwargs)
        self._simulation.seconds += time.perf_counter() - started
        try:
            return func(*args, **kwargs)
        finally:
            self._simulation.working_on = before


def _default_device() -> torch.device | None:
    """Return the device of `set_default_device` or `with torch.device(...)`."""
    for mode in reversed(_get_current_function_mode_stack()):
        if isinstance(mode, DeviceContext):
            return mode.device
    return None


def _first_gpu(args: tuple[object, ...], kwargs: dict[str, object]) -> int | None:
    """Return the GPU of the first tensor that is on one."""
    for tensor in tensors_in(args, kwargs):
        gpu = gpu_of(tensor)
        if gpu is not None:
            return gpu
    return None


def made(function: Callable[..., Value], args: tuple[object, ...], kwargs: dict[str, object]) -> Value:
    """Call a function that makes tensors, and put them on the requested device."""
    name = getattr(function, "__name__", "")
    pinned = kwargs.pop("pin_memory", False)
    if name in {"tensor", "as_tensor", "asarray", "new_tensor"}:
        _note_reads(name, args)
    if kwargs.get("device") is None:
        kwargs.pop("device", None)
        return _pinned(function(*args, **kwargs)) if pinned else function(*args, **kwargs)
    try:
        gpu = running().machine.place(cast("Device", kwargs["device"]))  # anything else is rejected by PyTorch itself
    except (TypeError, ValueError):
        return function(*args, **kwargs)
    if name in {"as_tensor", "asarray"} and args and isinstance(args[0], Tensor):
        kwargs.pop("device")
        given = function(*args, **kwargs)
        # What as_tensor() gives is a tensor, and so is what move() makes of it.
        return cast("Value", move(given, gpu, called=name)) if isinstance(given, Tensor) else given
    if name not in _MAKERS and gpu is None:
        return function(*args, **kwargs)
    return _made_on(gpu, name, function, args, kwargs)


def _made_on(
    gpu: int | None, name: str, function: Callable[..., Value], args: tuple[object, ...], kwargs: dict[str, object]
) -> Value:
    result = function(*args, **{**kwargs, "device": "cpu"})
    if gpu is not None and name in {"tensor", "as_tensor", "asarray", "new_tensor"}:
        running().wait(Kind.UPLOAD, f"{name}(..., device='cuda')")
    for tensor in tensors_in(result):
        put(tensor, gpu)
        if (detector := running().detector) is not None:
            detector.copied(None, tensor, name)
    return result


def _note_reads(name: str, args: tuple[object, ...]) -> None:
    """Log the scalars on a GPU that a tensor is made of: each is read."""
    if args and isinstance(args[0], (list, tuple)):
        on_gpu = sum(gpu_of(tensor) is not None for tensor in tensors_in(args[0]))
        running().wait(Kind.SCALAR, f"{name}([tensors])", on_gpu)


def _pinned(result: Value) -> Value:
    for tensor in tensors_in(result):
        pin(tensor)
    return result


def install(stack: ExitStack) -> None:
    """Replace the functions that make tensors out of numbers."""
    for function in _FROM_NUMBERS:
        replace(stack, torch, function.__name__, _from_numbers(function))


def _from_numbers(function: Callable[..., Value]) -> Callable[..., Value]:
    @functools.wraps(function)
    def wrapper(*args: object, **kwargs: object) -> Value:
        if kwargs.get("device") is None:
            kwargs["device"] = _default_device()
        return made(function, args, kwargs)

    return wrapper
