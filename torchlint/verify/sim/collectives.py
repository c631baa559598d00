"""NCCL on simulated GPUs: gloo communicates in its place, and takes no tensor on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack

import torch
from torch import distributed
from torch._ops import OpOverload

from torchlint.pytorch.distributed import GPU_BACKENDS
from torchlint.verify.replacing import replace, replace_known
from torchlint.verify.sim.state import running

# Its tensor is made by PyTorch itself.
_BARRIER = "c10d::barrier"


def check_collective(operation: OpOverload, gpus: Iterable[int | None]) -> None:
    """Raise `RuntimeError`, as PyTorch does, if a collective of NCCL gets a tensor on the CPU."""
    is_checked = operation.namespace == "c10d" and operation.name() != _BARRIER
    if is_checked and running().communicates_on_gpus and None in gpus:
        raise RuntimeError("No backend type associated with device type cpu")


def install(stack: ExitStack) -> None:
    """Replace what makes process groups."""
    if not distributed.is_available():
        return
    core = distributed.distributed_c10d
    own_init: Callable[..., None] = core.init_process_group
    own_destroy: Callable[..., None] = core.destroy_process_group

    def init_process_group(backend: str | None = None, *args: object, **kwargs: object) -> None:
        is_for_gpus = backend is not None and backend.lower() in GPU_BACKENDS
        own_init("gloo" if is_for_gpus else backend, *args, **kwargs)
        running().communicates_on_gpus = is_for_gpus

    def destroy_process_group(*args: object, **kwargs: object) -> None:
        own_destroy(*args, **kwargs)
        running().communicates_on_gpus = False

    for owner in (core, distributed):
        replace(stack, owner, "init_process_group", init_process_group)
        replace(stack, owner, "destroy_process_group", destroy_process_group)
    own_device: Callable[..., torch.device] | None = getattr(core, "_get_object_coll_device", None)

    def object_device(*args: object) -> str | torch.device:
        # Objects are sent as tensors on the current GPU.
        return "cuda" if running().communicates_on_gpus or own_device is None else own_device(*args)

    replace_known(stack, core, {"_get_object_coll_device": object_device})
