"""What functions and methods of PyTorch return, if their names determine it."""

from __future__ import annotations

from torchlint.model.values.value_sets import HOST, Array, Built, Imported, Number, Tensor, Value
from torchlint.pytorch.results import (
    ABOUT_TORCH,
    DTYPES_OF,
    NON_DIFFERENTIABLE,
    NOTHING,
    NUMBERS,
    NUMBERS_OF_OTHERS,
    TENSOR_HOOKS,
    TENSOR_NN,
    TENSOR_NUMBERS,
    TENSOR_SPACES,
    WITHOUT_CUDA,
)
from torchlint.pytorch.symbols import DTYPE, HANDLE, NN


def computes_tensors(name: str) -> bool:
    """Tell whether a function computes tensors of its arguments; what others return does not depend on these."""
    if name in NUMBERS or not name.startswith("torch.") or name in NOTHING:
        return False
    space, dot, _ = name.removeprefix("torch.").partition(".")
    if (dot and space not in TENSOR_SPACES) or space.startswith("__") or ABOUT_TORCH.fullmatch(name):
        return False
    return not name.startswith(NN) or name.startswith(TENSOR_NN)


def result_computed(name: str, arguments: Tensor) -> Tensor:
    """Return what a function that computes tensors returns.

    `arguments` is the result of an operation on its arguments: it is on their device and has their graph.
    """
    return _computed(name.rpartition(".")[2], arguments)


def result_of_others(name: str) -> Value | None:
    """Return what another function of PyTorch, another library or Python returns, if its name determines it."""
    if name in DTYPES_OF:
        return Imported(DTYPE)
    if name in NUMBERS or name in NUMBERS_OF_OTHERS:
        return Number()
    if name.startswith(("numpy.", "cupy.")):
        return Array()
    return Number() if name.startswith(("math.", "time.", "random.", "operator.")) else None


def method_result(name: str, tensor: Tensor) -> Value:
    """Return what a method of a tensor returns."""
    if name in TENSOR_NUMBERS:
        return Number()
    if name == "numpy":
        return Array()
    if name in TENSOR_HOOKS:
        return Built(HANDLE)
    if name == "requires_grad_":
        return Tensor(tensor.device, True)
    return _computed(name, tensor)


def _computed(name: str, tensor: Tensor) -> Tensor:
    """Return the result of an operation: where its operands are, unless they can be on no GPU there."""
    device = None if name in WITHOUT_CUDA and tensor.device != HOST else tensor.device
    return Tensor(device, False if name in NON_DIFFERENTIABLE else tensor.graph)
