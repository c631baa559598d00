"""The places where PyTorch's own Python looks below a tensor's device, or checks what only the CPU checks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import ParamSpec, TypeAlias, TypeVar

import torch
import torch.utils.data
from torch import Tensor
from torch.amp import autocast_mode
from torch.utils.data import dataloader

from torchlint.pytorch.waits import Kind
from torchlint.verify.replacing import replace
from torchlint.verify.sim.state import running
from torchlint.verify.sim.tags import device_of, gpu_of, pin, tensors_in

P = ParamSpec("P")
R = TypeVar("R")
_Group: TypeAlias = "tuple[list[list[Tensor]], list[int]]"

_own_one_hot: Callable[[Tensor, int], Tensor] = torch.nn.functional.one_hot


def group_by_device(
    lists: Sequence[Sequence[Tensor]], with_indices: bool = False
) -> dict[tuple[torch.device, torch.dtype], _Group]:
    """Group parallel lists of tensors by device and type, for the foreach optimizers; C++ sees one device only."""
    groups: dict[tuple[torch.device, torch.dtype], _Group] = {}
    for index, first in enumerate(lists[0]):
        key = (device_of(gpu_of(first)), first.dtype)
        grouped, indices = groups.setdefault(key, ([[] for _ in lists], []))
        for group, tensors in zip(grouped, lists, strict=True):
            # An empty list stays empty: the optimizer keeps nothing of that name.
            if tensors:
                group.append(tensors[index])
        if with_indices:
            indices.append(index)
    return groups


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Stand in for `one_hot`: on the GPU only the largest class is read, and only if `num_classes` is not given."""
    if gpu_of(tensor) is None:
        return _own_one_hot(tensor, num_classes)
    if num_classes == -1:
        running().wait(Kind.SHAPE, "one_hot")
    with running().log.muted():
        return _own_one_hot(tensor, num_classes)


def _unchecked(function: Callable[P, R]) -> Callable[P, R]:
    """Disable the checks of its arguments that a function makes on the CPU only."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        with running().log.muted():
            return function(*args, **kwargs)

    return wrapper


def install(stack: ExitStack) -> None:
    """Replace what would notice that every tensor is on the CPU."""
    if hasattr(torch._C, "_group_tensors_by_device_and_dtype"):
        replace(stack, torch._C, "_group_tensors_by_device_and_dtype", group_by_device)
    replace(stack, torch.nn.functional, "one_hot", one_hot)
    for name in ("quantile", "nanquantile"):
        replace(stack, torch, name, _unchecked(getattr(torch, name)))
        replace(stack, Tensor, name, _unchecked(getattr(Tensor, name)))
    _install_autocast(stack)
    _install_pinning(stack)
    _install_devices_by_number(stack)
    if hasattr(torch.compiler, "set_stance"):
        # Since 2.6: compiled models run eagerly, in their wrapper.
        stack.enter_context(torch.compiler.set_stance("force_eager"))


def _install_autocast(stack: ExitStack) -> None:
    """Enable the CPU's autocast for the GPU's: the CPU kernels run."""
    own_init: Callable[..., None] = vars(autocast_mode.autocast)["__init__"]

    def init(self: autocast_mode.autocast, device_type: str, *args: object, **kwargs: object) -> None:
        if device_type == "cuda":
            device_type = "cpu"
            if not args and kwargs.get("dtype") is None:
                kwargs["dtype"] = torch.float16
        own_init(self, device_type, *args, **kwargs)

    replace(stack, autocast_mode.autocast, "__init__", init)


def _install_pinning(stack: ExitStack) -> None:
    """Let the batches of a loader with `pin_memory=True` count as pinned, without a thread to pin them."""
    iterators = dataloader._BaseDataLoaderIter
    own_init: Callable[..., None] = vars(iterators)["__init__"]
    own_next: Callable[..., object] = vars(iterators)["__next__"]
    pinning: set[int] = set()

    def init(self: object, loader: torch.utils.data.DataLoader[object], *args: object, **kwargs: object) -> None:
        wanted, vars(loader)["pin_memory"] = loader.pin_memory, False
        try:
            own_init(self, loader, *args, **kwargs)
        finally:
            vars(loader)["pin_memory"] = wanted
        if wanted:
            pinning.add(id(self))
        else:
            pinning.discard(id(self))

    def following(self: object) -> object:
        batch = own_next(self)
        if id(self) in pinning:
            for tensor in tensors_in(batch):
                pin(tensor)
        return batch

    replace(stack, iterators, "__init__", init)
    replace(stack, iterators, "__next__", following)


def _install_devices_by_number(stack: ExitStack) -> None:
    """Let `module.to(1)` mean a GPU; C++ knows of none."""
    own_parse: Callable[..., object] = vars(torch._C._nn)["_parse_to"]

    def parse(*args: object, **kwargs: object) -> object:
        if args and isinstance(args[0], int):
            args = (device_of(running().machine.index(args[0])), *args[1:])
        return own_parse(*args, **kwargs)

    replace(stack, torch._C._nn, "_parse_to", parse)
