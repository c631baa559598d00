"""`torch.cuda` and `torch.accelerator` for the simulated GPUs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from types import SimpleNamespace
from typing import TypeVar

import torch
from torch import Tensor

from torchlint.pytorch.waits import Kind
from torchlint.verify.replacing import replace, replace_known
from torchlint.verify.sim import streams
from torchlint.verify.sim.machine import Device
from torchlint.verify.sim.state import running

Value = TypeVar("Value")
NAME = "Simulated GPU"
_CAPABILITY = (9, 0)


def is_available() -> bool:
    """Tell whether there is a GPU, without initialising CUDA."""
    return running().machine.visible() > 0


def device_count() -> int:
    """Return how many GPUs there are, without initialising CUDA."""
    return running().machine.visible()


def current_device() -> int:
    """Return the current GPU."""
    return running().machine.index()


def set_device(device: Device) -> None:
    """Make a GPU the current one; a negative index changes nothing."""
    if not isinstance(device, int) or device >= 0:
        running().machine.current = running().machine.index(device)


def exchange_device(index: int) -> int:
    """Make a GPU the current one, and return the one before; a negative index changes nothing."""
    before = running().machine.current
    if index >= 0:
        running().machine.current = running().machine.index(index)
    return before


def synchronize(device: Device = None) -> None:
    """Make the host wait for a GPU."""
    simulation = running()
    simulation.machine.index(device)
    simulation.wait(Kind.EXPLICIT, "torch.cuda.synchronize")
    if simulation.detector is not None:
        simulation.detector.device_synchronized()


def device_properties(device: Device = None) -> SimpleNamespace:
    """Return the result of `torch.cuda.get_device_properties` for a GPU."""
    running().machine.index(device)
    major, minor = _CAPABILITY
    return SimpleNamespace(
        name=NAME,
        major=major,
        minor=minor,
        total_memory=running().machine.memory,
        multi_processor_count=132,
        is_integrated=0,
        is_multi_gpu_board=0,
        warp_size=32,
    )


def device_name(device: Device = None) -> str:
    """Return the name of a GPU."""
    running().machine.index(device)
    return NAME


def device_capability(device: Device = None) -> tuple[int, int]:
    """Return the compute capability of a GPU."""
    return _CAPABILITY


def memory_info(device: Device = None) -> tuple[int, int]:
    """Return free and total memory; none is ever used."""
    return running().machine.memory, running().machine.memory


def initialise() -> None:
    """Initialise CUDA."""
    running().machine.initialise()


def is_initialised() -> bool:
    """Tell whether CUDA has been used."""
    return running().machine.owner is not None


def random_state(device: Device = "cuda") -> Tensor:
    """Return the state of the only generator."""
    return torch.get_rng_state()


def random_states() -> list[Tensor]:
    """Return a state for each GPU."""
    return [random_state() for _ in range(device_count())]


def answering(answer: Value) -> Callable[..., Value]:
    """Return a function that always returns the same; a new one each time, as PyTorch's compiler compares them."""

    def answered(*_: object, **__: object) -> Value:
        return answer

    return answered


_CUDA: dict[str, Callable[..., object]] = {
    "is_available": is_available,
    "device_count": device_count,
    "current_device": current_device,
    "set_device": set_device,
    "_exchange_device": exchange_device,
    "_maybe_exchange_device": exchange_device,
    "init": initialise,
    "_lazy_init": initialise,
    "is_initialized": is_initialised,
    "synchronize": synchronize,
    "Stream": streams.Stream,
    "Event": streams.Event,
    "stream": streams.on_stream,
    "current_stream": streams.current,
    "default_stream": streams.default,
    "set_stream": streams.use,
    "get_device_name": device_name,
    "get_device_capability": device_capability,
    "get_device_properties": device_properties,
    "can_device_access_peer": answering(True),
    "is_bf16_supported": answering(True),
    "mem_get_info": memory_info,
    # The only generator is the CPU's.
    "manual_seed": answering(None),
    "manual_seed_all": answering(None),
    "initial_seed": torch.initial_seed,
    "get_rng_state": random_state,
    "set_rng_state": answering(None),
    "get_rng_state_all": random_states,
    "set_rng_state_all": answering(None),
    "empty_cache": answering(None),
    "ipc_collect": answering(None),
    "reset_peak_memory_stats": answering(None),
    "reset_accumulated_memory_stats": answering(None),
    "reset_max_memory_allocated": answering(None),
    "reset_max_memory_cached": answering(None),
    "set_per_process_memory_fraction": answering(None),
    "set_sync_debug_mode": answering(None),
    "get_sync_debug_mode": answering(0),
    "is_current_stream_capturing": answering(False),
}
# Since 2.6; older versions have none of it.
_ACCELERATOR: dict[str, Callable[..., object]] = {
    "is_available": is_available,
    "device_count": device_count,
    "current_accelerator": answering(torch.device("cuda")),
    "current_device_index": current_device,
    "current_device_idx": current_device,
    "set_device_index": set_device,
    "set_device_idx": set_device,
    "current_stream": streams.current,
    "set_stream": streams.use,
    "synchronize": synchronize,
    "empty_cache": answering(None),
}


def install(stack: ExitStack) -> None:
    """Replace what queries the driver."""
    replace_known(stack, torch.cuda, _CUDA)
    replace_known(stack, getattr(torch, "accelerator", None), _ACCELERATOR)
    # RNNs query whether to call cuDNN; the CPU kernels will run.
    replace(stack, torch.backends.cudnn, "is_acceptable", answering(False))
