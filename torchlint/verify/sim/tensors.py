"""The properties of a tensor, and its methods that move it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, nullcontext

import torch
from torch import Tensor

from torchlint.verify.replacing import replace
from torchlint.verify.sim.moving import move, pinned_copy, to
from torchlint.verify.sim.state import running
from torchlint.verify.sim.tags import device_of, gpu_of, is_pinned

_Base = torch._C.TensorBase
# Its overloads take no argument whose type is not known yet.
_own_type: Callable[..., object] = _Base.type
_own_setitem: Callable[..., None] = _Base.__setitem__
_own_repr: Callable[..., str] = Tensor.__repr__
# Private: the public one runs with the modes switched off, and its body is what waits.
_format: Callable[..., str] = getattr(torch._tensor_str, "_str_intern", _own_repr)


def device(tensor: Tensor) -> torch.device:
    """Stand in for `Tensor.device`."""
    gpu = gpu_of(tensor)
    return _real_device(tensor) if gpu is None else device_of(gpu)


def is_cuda(tensor: Tensor) -> bool:
    """Stand in for `Tensor.is_cuda`."""
    return gpu_of(tensor) is not None


def is_cpu(tensor: Tensor) -> bool:
    """Stand in for `Tensor.is_cpu`."""
    return gpu_of(tensor) is None and _real_device(tensor).type == "cpu"


def get_device(tensor: Tensor) -> int:
    """Stand in for `Tensor.get_device`."""
    gpu = gpu_of(tensor)
    return -1 if gpu is None else gpu


def _real_device(tensor: Tensor) -> torch.device:
    with torch._C.DisableTorchFunction():
        found: torch.device = _Base.device.__get__(tensor)
        return found


def cuda(
    tensor: Tensor,
    device: torch.device | str | int | None = None,
    non_blocking: bool = False,
    memory_format: object = None,
) -> Tensor:
    """Stand in for `Tensor.cuda`."""
    return move(tensor, running().machine.index(device), non_blocking=non_blocking, called="cuda")


def cpu(tensor: Tensor, memory_format: object = None) -> Tensor:
    """Stand in for `Tensor.cpu`."""
    return move(tensor, None, called="cpu")


def numpy(tensor: Tensor, *, force: bool = False) -> object:
    """Stand in for `Tensor.numpy`, which `numpy.asarray` calls too."""
    gpu = gpu_of(tensor)
    if gpu is None:
        return _Base.numpy(tensor, force=force)
    if not force:
        raise TypeError(
            f"can't convert cuda:{gpu} device type tensor to numpy. "
            "Use Tensor.cpu() to copy the tensor to host memory first."
        )
    return _Base.numpy(move(tensor, None, called="numpy"), force=True)


def type_(tensor: Tensor, dtype: object = None, non_blocking: bool = False) -> object:
    """Stand in for `Tensor.type`, which names devices in types: `torch.cuda.FloatTensor`."""
    if dtype is None:
        name = str(_Base.type(tensor))
        # Under a torch function mode, this call has passed this function already.
        return name.replace("torch.", "torch.cuda.", 1) if is_cuda(tensor) and ".cuda." not in name else name
    if isinstance(dtype, torch.dtype):
        return _own_type(tensor, dtype, non_blocking)
    # A class stands for its name: `torch.cuda.FloatTensor`.
    name = f"{dtype.__module__}.{dtype.__name__}" if isinstance(dtype, type) else str(dtype)
    gpu = running().machine.index() if ".cuda." in name else None
    moved = move(tensor, gpu, non_blocking=non_blocking, called="type")
    # A name that is none raises here, as it would on a GPU.
    return to(moved, _Base.type(torch.empty(0), name.replace(".cuda.", ".")).dtype)


def type_as(tensor: Tensor, other: Tensor) -> Tensor:
    """Stand in for `Tensor.type_as`, which moves a tensor to the device of the other one, too."""
    return to(tensor, other)


def tolist(tensor: Tensor) -> object:
    """Stand in for `Tensor.tolist`: one copy, then Python numbers."""
    if is_cuda(tensor) and tensor.dim():
        return _Base.tolist(move(tensor.detach(), None, called="tolist"))
    return _Base.tolist(tensor)


def setitem(tensor: Tensor, index: object, value: object) -> None:
    """Stand in for `Tensor.__setitem__`: a number is filled in on the GPU, without a copy."""
    fills = not isinstance(value, Tensor) and _only_slices(index)
    with running().log.muted() if fills else nullcontext():
        _own_setitem(tensor, index, value)


def _only_slices(index: object) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(part is None or part is ... or isinstance(part, (int, slice)) for part in parts)


def tensor_repr(tensor: Tensor, *, tensor_contents: object = None) -> str:
    """Stand in for `repr`, with its waits."""
    if not is_cuda(tensor):
        return _own_repr(tensor, tensor_contents=tensor_contents)
    # A number that was read already is printed at once; the elements of a vector are copied one by one.
    is_number = tensor.numel() == 1
    with torch.no_grad(), running().log.formatting() if is_number else nullcontext():
        return _format(tensor, tensor_contents=tensor_contents)


def install(stack: ExitStack) -> None:
    """Replace the tensors' methods; as attributes of the class they apply inside PyTorch's own Python, too."""
    replacements: dict[str, object] = {
        "device": property(device),
        "is_cuda": property(is_cuda),
        "is_cpu": property(is_cpu),
        "get_device": get_device,
        "to": to,
        "cuda": cuda,
        "cpu": cpu,
        "numpy": numpy,
        "type": type_,
        "type_as": type_as,
        "tolist": tolist,
        "__setitem__": setitem,
        "__repr__": tensor_repr,
        "pin_memory": pinned_copy,
        "is_pinned": lambda tensor, device=None: is_pinned(tensor),
        "record_stream": lambda tensor, stream: None,
    }
    for name, value in replacements.items():
        replace(stack, Tensor, name, value)
