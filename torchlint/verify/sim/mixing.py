"""Which GPU an operation works on, and PyTorch's error if its tensors are on several."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchlint.verify.sim.ops import named
from torchlint.verify.sim.tags import device_of

# What may take tensors of several devices.
_ANY = named(
    "copy_.default",
    "_to_copy.default",
    "_foreach_copy_.default",
    "_pack_padded_sequence.default",
    "_ctc_loss.default",
    "is_pinned.default",
    "record_stream.default",
)
INDEXING = named(
    "index.Tensor",
    "index_put.default",
    "index_put_.default",
    "_index_put_impl_.default",
    "_unsafe_index.Tensor",
    "_unsafe_index_put.default",
)
INDEX_TYPES = (torch.int64, torch.int32, torch.bool, torch.uint8)
# Unlike arithmetic, these reject even a scalar on the CPU: `native_functions.yaml` has no exception for them.
_EXACT = named(
    *(f"{name}.Tensor" for name in ("clamp", "clamp_", "clamp_min", "clamp_min_", "clamp_max", "clamp_max_"))
)
_CONVOLUTION = named("convolution.default")
_TYPE_NAMES = {
    torch.float32: "FloatTensor",
    torch.float64: "DoubleTensor",
    torch.float16: "HalfTensor",
    torch.bfloat16: "BFloat16Tensor",
}


def working_gpu(operation: object, tensors: Sequence[Tensor], gpus: Sequence[int | None]) -> int | None:
    """Return the GPU that the operation's results will be on, or None for the CPU.

    Raises `RuntimeError`, as CUDA does, if the tensors are on several devices and may not be.
    """
    if all(gpu is None for gpu in gpus):
        return None
    if operation in _ANY:
        return next(gpu for gpu in gpus if gpu is not None)
    if operation in INDEXING:
        _check_indices(tensors, gpus)
        return gpus[0]
    # A 0-dim tensor on the CPU counts as a number.
    is_exact = operation in _EXACT
    placed = [gpu for tensor, gpu in zip(tensors, gpus, strict=True) if gpu is not None or tensor.dim() or is_exact]
    if len(set(placed)) == 1:
        return placed[0]
    if operation in _CONVOLUTION:
        _check_convolution(tensors, gpus)
    first, second = list(dict.fromkeys(placed))[:2]
    raise RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, "
        f"{device_of(first)} and {device_of(second)}!"
    )


def _check_indices(tensors: Sequence[Tensor], gpus: Sequence[int | None]) -> None:
    """Reject indices on another GPU; on the CPU they may be."""
    for tensor, gpu in zip(tensors[1:], gpus[1:], strict=True):
        if gpu is not None and gpu != gpus[0] and tensor.dtype in INDEX_TYPES:
            raise RuntimeError(
                f"indices should be either on cpu or on the same device as the indexed tensor ({device_of(gpus[0])})"
            )


def _check_convolution(tensors: Sequence[Tensor], gpus: Sequence[int | None]) -> None:
    """Reject an input on another kind of device than the weight, with the error of a convolution."""
    if (gpus[0] is None) != (gpus[1] is None):
        names = [_type_name(tensor, gpu) for tensor, gpu in zip(tensors[:2], gpus[:2], strict=True)]
        raise RuntimeError(f"Input type ({names[0]}) and weight type ({names[1]}) should be the same")


def _type_name(tensor: Tensor, gpu: int | None) -> str:
    name = _TYPE_NAMES.get(tensor.dtype, "Tensor")
    return f"torch.{name}" if gpu is None else f"torch.cuda.{name}"
