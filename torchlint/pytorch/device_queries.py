"""Queries of the machine: whether there is a device, how many, and which."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Answer: TypeAlias = "bool | int | str | None"
"""A constant, or the kind of a device."""


class DeviceQuery(NamedTuple):
    """A function without arguments; the answers without CUDA are those of torch 2.13.0+cpu."""

    name: str
    without_cuda: Answer
    with_cuda: tuple[Answer, ...] = ()
    """What it surely returns on a machine with CUDA; empty if that depends."""
    gives_device: bool = False
    """Whether the answer with CUDA is a device of that kind."""
    counts_gpus: bool = False
    """Whether the answer with CUDA is the number of GPUs."""


_ROWS = (
    DeviceQuery("torch.cuda.is_available", False, (True,)),
    DeviceQuery("torch.cuda.device_count", 0, counts_gpus=True),
    DeviceQuery("torch.cuda.is_bf16_supported", False),
    DeviceQuery("torch.accelerator.is_available", False, (True,)),
    DeviceQuery("torch.accelerator.current_accelerator", None, ("cuda",), gives_device=True),
    DeviceQuery("torch.accelerator.device_count", 0, counts_gpus=True),
    DeviceQuery("torch.backends.cudnn.is_available", False, (True,)),
)
DEVICE_QUERIES = {row.name: row for row in _ROWS}
"""By its full name."""
PLACING_NOTHING = frozenset(
    f"torch.cuda.{name}"
    for name in ("empty_cache", "is_available", "manual_seed", "manual_seed_all", "seed", "seed_all")
)
"""Functions with a GPU in their name that put nothing there, whatever the machine has (torch 2.13)."""
