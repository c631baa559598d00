"""A machine with any number of simulated GPUs, and CUDA's answers about them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TypeAlias

import torch

Device: TypeAlias = "torch.device | str | int | None"
"""Whatever PyTorch takes as a device; None is the current GPU."""

NO_DRIVER = (
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver "
    "from http://www.nvidia.com/Download/index.aspx"
)
FORKED = (
    "Cannot re-initialize CUDA in forked subprocess. "
    "To use CUDA with multiprocessing, you must use the 'spawn' start method"
)
NO_CONTEXT = "CUDA error: initialization error"
"""The error of a forked process that works on a tensor which its parent put on the GPU."""
OUT_OF_RANGE = "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?"


@dataclass
class Machine:
    """The simulated GPUs, and which of them is the current one."""

    gpus: int
    current: int = 0
    memory: int = 16 << 30
    owner: int | None = None
    """The process that initialised CUDA."""

    def initialise(self) -> None:
        """Do what CUDA does on its first use, once; raises `RuntimeError` if CUDA would."""
        if self.owner == os.getpid():
            return
        if self.owner is not None:
            raise RuntimeError(FORKED)
        if self.gpus == 0:
            raise RuntimeError(NO_DRIVER)
        # The driver reads the variable here and never again.
        self.gpus = self.visible()
        if self.gpus == 0:
            raise RuntimeError("No CUDA GPUs are available")
        self.owner = os.getpid()

    def work(self) -> None:
        """Do what CUDA does when it starts a kernel; raises `RuntimeError` in a process that was forked since."""
        if self.owner is not None and self.owner != os.getpid():
            raise RuntimeError(NO_CONTEXT)

    def visible(self) -> int:
        """Return how many GPUs there are for this process."""
        chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
        if chosen is None or self.owner is not None:
            return self.gpus
        count = 0
        for name in chosen.split(","):
            # The list ends at the first name that is no GPU.
            if not name.strip().isdigit() or int(name) >= self.gpus:
                break
            count += 1
        return count

    def index(self, device: Device = None) -> int:
        """Return the index of a GPU; raises if there is none of that name."""
        self.initialise()
        if device is None:
            return self.current
        if isinstance(device, int):
            return self.checked(device)
        wanted = torch.device(device)
        if wanted.type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {wanted}")
        return self.current if wanted.index is None else self.checked(wanted.index)

    def place(self, device: Device) -> int | None:
        """Return the index of a GPU, or None if the device is not one."""
        if isinstance(device, (str, torch.device)) and torch.device(device).type != "cuda":
            return None
        return self.index(device)

    def checked(self, index: int) -> int:
        """Return an index of a GPU; raises as CUDA does if there are not so many."""
        if not 0 <= index < self.gpus:
            # Since 2.8 an error of the accelerator has a class of its own.
            raise getattr(torch, "AcceleratorError", RuntimeError)(OUT_OF_RANGE)
        return index
