"""Private names of PyTorch that the simulator needs: if one is gone, the error names it."""

from __future__ import annotations

import pkgutil
from typing import TYPE_CHECKING

from torchlint.errors import TorchlintError

if TYPE_CHECKING:
    from types import ModuleType

NEEDED = (
    "torch._C.DisableTorchFunction",
    "torch._C.TensorBase",
    "torch._C._nn._parse_to",
    "torch._ops.OpOverload",
    "torch.nn.parallel._functions.Scatter",
    "torch.overrides._get_current_function_mode_stack",
    "torch.serialization._package_registry",
    "torch.utils._device.DeviceContext",
    "torch.utils._device._device_constructors",
    "torch.utils._python_dispatch.TorchDispatchMode",
    "torch.utils.data.dataloader._BaseDataLoaderIter",
    "torch._dynamo",
)


def simulator() -> ModuleType:
    """Return the simulator; raises `TorchlintError` if this version of PyTorch lacks what it needs."""
    for name in NEEDED:
        _check(name)
    from torchlint.verify import sim

    return sim


def _check(name: str) -> None:
    import torch

    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError) as error:
        raise TorchlintError(f"torch {torch.__version__} has no {name}: it cannot be given pretend GPUs") from error
