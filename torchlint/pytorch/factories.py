"""Functions that make tensors: on which device, and of whose memory."""

from __future__ import annotations

import re

_SIGNAL_WINDOWS = frozenset(
    f"torch.signal.windows.{name}"
    for name in (
        "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall"
    ).split()
)
COMPUTING_FACTORIES = _SIGNAL_WINDOWS | frozenset(
    f"torch.{name}"
    for name in (
        "arange bartlett_window blackman_window empty empty_permuted empty_strided eye fft.fftfreq fft.rfftfreq full"
        " hamming_window hann_window kaiser_window linspace logspace ones range scalar_tensor tril_indices"
        " triu_indices zeros"
    ).split()
)
"""Functions that make a tensor of their own on `device=`, with the same data on every device.

Those of the functions of PyTorch that take `device=` and no tensor which neither draw random numbers nor take data.
"""
FACTORIES = COMPUTING_FACTORIES | frozenset(
    f"torch.{name}"
    for name in (
        "as_tensor asarray from_file from_numpy frombuffer rand randint randn randperm sparse_coo_tensor tensor"
        " Tensor FloatTensor DoubleTensor HalfTensor LongTensor IntTensor ShortTensor ByteTensor BoolTensor"
    ).split()
)
"""Functions that make a tensor on `device=`, or else on the host."""

COPYING = "torch.tensor"
"""The function that always copies its data."""
OF_DATA = frozenset({COPYING, "torch.as_tensor", "torch.asarray"})
"""Functions that make a tensor of numbers, a list, an array or a tensor."""
OF_NUMBERS = OF_DATA | {"torch.scalar_tensor"}
"""Functions whose tensor has no dimension where they are given a number."""
OF_LISTS = OF_DATA | {"torch.from_numpy", "torch.Tensor", "torch.FloatTensor"}
"""Functions that make a tensor of what the host has."""
RANDINT = "torch.randint"
"""The function that takes bounds before the size."""
FROM_NDARRAY = "from_numpy"
"""The function that takes an ndarray, and raises `TypeError` for a tensor; checked on torch 2.13.0."""
FROM_MEMORY = frozenset({"torch.from_numpy", "torch.from_file", "torch.frombuffer"})
"""Those whose tensor shares the memory of their argument, which is the host's; checked on torch 2.13.0.

They take no other device: `from_numpy` and `frombuffer` take no `device=` at all.
"""

_LEGACY = re.compile(r"torch\.(cuda\.)?(sparse\.)?(Float|Double|Half|BFloat16|Byte|Char|Short|Int|Long|Bool)?Tensor")


def legacy_device(name: str) -> str | None:
    """Return the kind of device on which an old constructor (`torch.FloatTensor`) makes tensors, None for others."""
    match = _LEGACY.fullmatch(name)
    return None if match is None else "cuda" if match[1] else "cpu"


LIKE = frozenset(f"{name}_like" for name in "empty full ones rand randint randn zeros".split())
"""Functions that make a tensor of the size, the dtype and the device of another, by their last names."""
NEW = frozenset(f"new_{name}" for name in "empty empty_strided full ones tensor zeros".split())
"""Methods that make a tensor of the dtype and on the device of another."""
WHERE_DATA = {"as_tensor": 0, "asarray": 0, "sparse_coo_tensor": 1}
"""The position of the data, which determines the device unless `device=` does:
https://docs.pytorch.org/docs/stable/generated/torch.sparse_coo_tensor.html."""
