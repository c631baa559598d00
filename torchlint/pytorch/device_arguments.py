"""Functions that take a device as their first argument. Checked on torch 2.13."""

from __future__ import annotations

from torchlint.pytorch.symbols import DEVICE, GENERATOR

SET_DEVICE = "torch.cuda.set_device"
SET_DEFAULT_DEVICE = "torch.set_default_device"
SET_DEFAULT_TYPE = "torch.set_default_tensor_type"
DEFAULT_SETTERS = (SET_DEFAULT_DEVICE, SET_DEFAULT_TYPE)
"""What chooses where new tensors are made; the second by the type of a tensor, deprecated since 2.1."""
DEVICE_FIRST = frozenset({DEVICE, SET_DEFAULT_DEVICE, SET_DEVICE})
ONLY_NAMES = frozenset({DEVICE, SET_DEFAULT_DEVICE, GENERATOR})
"""What names a device, and does not use it yet: no CUDA is initialized."""
CURRENT_DEVICE = "torch.cuda.current_device"
DEVICE_NAME = "torch.cuda.get_device_name"
KINDS_OF_DEVICES = frozenset(
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia"
    " privateuseone".split()
)
"""What the string of a device may begin with."""
HOST_AND_CUDA = ("cpu", "cuda")
"""The kinds of the host and of the GPUs of CUDA."""
