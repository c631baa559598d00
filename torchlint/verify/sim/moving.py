"""Moving tensors between simulated devices: the data is copied, gradients are copied back."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx

from torchlint.pytorch.waits import Kind
from torchlint.verify.sim.machine import Device
from torchlint.verify.sim.state import running
from torchlint.verify.sim.tags import check_pinnable, gpu_of, is_pinned, pin, put


class _Move(torch.autograd.Function):
    """A copy to another device, for autograd."""

    @staticmethod
    def forward(ctx: FunctionCtx, tensor: Tensor, gpu: int | None) -> Tensor:
        setattr(ctx, "source", gpu_of(tensor))  # noqa: B010 - autograd's context takes any attribute, its type names none
        return _copied(tensor, gpu)

    @staticmethod
    def backward(ctx: FunctionCtx, *gradients: Tensor) -> tuple[Tensor, None]:
        source: int | None = getattr(ctx, "source", None)
        (gradient,) = gradients
        return (gradient if gpu_of(gradient) == source else _copied(gradient, source)), None


def move(
    tensor: Tensor, gpu: int | None, *, non_blocking: bool = False, copy: bool = False, called: str = "to"
) -> Tensor:
    """Return a tensor on a device, itself if it is there already."""
    simulation = running()
    source = gpu_of(tensor)
    if source == gpu and not copy:
        return tensor
    if (source is None) != (gpu is None) and not non_blocking:
        simulation.wait(Kind.DOWNLOAD if gpu is None else Kind.UPLOAD, called)
    working_on, simulation.working_on = simulation.working_on, None
    try:
        moved = _moved(tensor, gpu)
    finally:
        simulation.working_on = working_on
    if simulation.detector is not None:
        simulation.detector.copied(tensor, moved, called)
    # PyTorch's asynchronous copies to the host are in pinned memory.
    return pin(moved) if non_blocking and gpu is None else moved


def _moved(tensor: Tensor, gpu: int | None) -> Tensor:
    with torch._C.DisableTorchFunction():
        if tensor.requires_grad and torch.is_grad_enabled():
            return cast("Tensor", _Move.apply(tensor, gpu))  # apply() is untyped
        return put(tensor.detach().clone(), gpu)


def _copied(tensor: Tensor, gpu: int | None) -> Tensor:
    with torch._C.DisableTorchFunction():
        return put(tensor.clone(), gpu)


def to(tensor: Tensor, *args: object, **kwargs: object) -> Tensor:
    """Stand in for `Tensor.to`, in each of its forms."""
    wanted = _Wanted(list(args), dict(kwargs))
    moved = tensor
    if wanted.moves:
        moved = move(tensor, wanted.gpu, non_blocking=wanted.non_blocking, copy=wanted.copy)
    options: dict[str, object] = {}
    if wanted.dtype is not None:
        options["dtype"] = wanted.dtype
    if wanted.memory_format is not None:
        options["memory_format"] = wanted.memory_format
    copies = wanted.copy and not wanted.moves
    if not options and not copies:
        return moved
    convert = cast("Callable[..., Tensor]", torch._C.TensorBase.to)  # overloads that take no **options
    return convert(moved, copy=copies, **options)


class _Wanted:
    """The arguments of `to(device)`, `to(dtype)`, `to(device, dtype)` or `to(other)`."""

    def __init__(self, args: list[object], kwargs: dict[str, object]) -> None:
        self.moves, self.gpu = False, None
        self.dtype: object = None
        if args and isinstance(args[0], Tensor):
            kwargs["other"] = args.pop(0)
        other = kwargs.get("other")
        if isinstance(other, Tensor):
            self.moves, self.gpu, self.dtype = True, gpu_of(other), other.dtype
        if args and isinstance(args[0], (str, torch.device, int)):
            kwargs["device"] = args.pop(0)
        if kwargs.get("device") is not None:
            device = cast("Device", kwargs["device"])  # anything else is rejected by torch.device()
            self.moves, self.gpu = True, running().machine.place(device)
        while args and (args[0] is None or isinstance(args[0], torch.dtype)):
            kwargs["dtype"] = args.pop(0) or kwargs.get("dtype")
        names = iter(("non_blocking", "copy"))
        kwargs.update(zip(names, args, strict=False))
        self.dtype = kwargs.get("dtype", self.dtype)
        self.non_blocking = bool(kwargs.get("non_blocking", False))
        self.copy = bool(kwargs.get("copy", False))
        self.memory_format = kwargs.get("memory_format")


def pinned_copy(tensor: Tensor, device: object = None) -> Tensor:
    """Stand in for `Tensor.pin_memory`."""
    check_pinnable(tensor)
    return tensor if is_pinned(tensor) else pin(_copied(tensor, None))
