"""DataParallel on simulated GPUs: its replicas run one after the other."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Protocol

import torch
import torch.nn.parallel
from torch import Tensor
from torch.nn.parallel import _functions, comm

from torchlint.verify.replacing import replace, replace_known
from torchlint.verify.sim.cuda import exchange_device
from torchlint.verify.sim.moving import move
from torchlint.verify.sim.state import running
from torchlint.verify.sim.tags import gpu_of


class _Callable(Protocol):
    def __call__(self, *args: object, **kwargs: object) -> object: ...


class _ScatterContext(Protocol):
    """What the backward half of Scatter reads."""

    dim: int
    input_device: int


def _index(device: torch.device | str | int) -> int:
    return running().machine.index(device)


def broadcast_coalesced(tensors: Sequence[Tensor], devices: Iterable[int], buffer_size: int = 0) -> list[list[Tensor]]:
    """Copy tensors to each device."""
    return [[move(tensor, _index(device)) for tensor in tensors] for device in devices]


def reduce_add_coalesced(
    inputs: Sequence[Sequence[Tensor]], destination: int | None = None, buffer_size: int = 0
) -> tuple[Tensor, ...]:
    """Add up the tensors of all devices, on one of them."""
    gpu = running().machine.index(destination)
    return tuple(
        functools.reduce(torch.add, [move(part, gpu) for part in parts]) for parts in zip(*inputs, strict=True)
    )


def scatter(
    tensor: Tensor,
    devices: Sequence[int],
    chunk_sizes: Iterable[int] | None = None,
    dim: int = 0,
    streams: object = None,
    *,
    out: object = None,
) -> tuple[Tensor, ...]:
    """Split a tensor, with a chunk on each device."""
    pieces = tensor.split(list(chunk_sizes), dim) if chunk_sizes else tensor.chunk(len(devices), dim)
    return tuple(
        move(piece, _index(device), copy=True, called="scatter") for piece, device in zip(pieces, devices, strict=False)
    )


def gather(
    tensors: Sequence[Tensor], dim: int = 0, destination: int | str | None = None, *, out: object = None
) -> Tensor:
    """Concatenate the chunks on one device."""
    gpu = None if destination == "cpu" else running().machine.index(destination)
    return torch.cat([move(tensor, gpu, non_blocking=True, called="gather") for tensor in tensors], dim)


def scatter_forward(
    ctx: _ScatterContext, target_gpus: Sequence[int], chunk_sizes: Sequence[int] | None, dim: int, tensor: Tensor
) -> tuple[Tensor, ...]:
    """Stand in for the forward half of `Scatter`, without the streams that copy in the background."""
    ctx.dim = dim
    gpu = gpu_of(tensor)
    ctx.input_device = -1 if gpu is None else gpu
    return scatter(tensor, target_gpus, chunk_sizes, dim)


def parallel_apply(
    modules: Sequence[_Callable],
    inputs: Sequence[object],
    kwargs_tup: Sequence[dict[str, object]] | None = None,
    devices: Sequence[int] | None = None,
) -> list[object]:
    """Run each replica, in turn: the simulation has a single thread."""
    outputs = []
    keywords = kwargs_tup or [{} for _ in modules]
    for index, (replica, batch, keyword) in enumerate(zip(modules, inputs, keywords, strict=True)):
        before = exchange_device(-1 if devices is None else _index(devices[index]))
        try:
            outputs.append(replica(*(batch if isinstance(batch, (list, tuple)) else (batch,)), **keyword))
        finally:
            exchange_device(before)
    return outputs


def install(stack: ExitStack) -> None:
    """Replace what copies between GPUs."""
    replace_known(
        stack,
        comm,
        {
            "broadcast_coalesced": broadcast_coalesced,
            "reduce_add_coalesced": reduce_add_coalesced,
            "scatter": scatter,
            "gather": gather,
        },
    )
    replace(stack, _functions.Scatter, "forward", staticmethod(scatter_forward))
    # The attribute `data_parallel` of the package is the function of that name.
    replace(stack, sys.modules["torch.nn.parallel.data_parallel"], "parallel_apply", parallel_apply)
