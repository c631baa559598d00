"""Which operations make the host wait for a real GPU; the CPU kernels that run here do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from torch import Tensor

from torchlint.pytorch.waits import Kind
from torchlint.verify.sim.mixing import INDEXING
from torchlint.verify.sim.ops import found, named
from torchlint.verify.sim.state import Simulation
from torchlint.verify.sim.tags import gpu_of

Arguments: TypeAlias = Sequence[object]
Keywords: TypeAlias = Mapping[str, object]
Times: TypeAlias = "int | Callable[[Arguments, Keywords], int]"


def _argument(args: Arguments, kwargs: Keywords, index: int, name: str, default: object = None) -> object:
    return args[index] if len(args) > index else kwargs.get(name, default)


def _if_on_gpu(index: int) -> Callable[[Arguments, Keywords], int]:
    """Wait once if an argument that should be a number is a tensor on a GPU."""

    def times(args: Arguments, _: Keywords) -> int:
        value = args[index]
        return int(isinstance(value, Tensor) and gpu_of(value) is not None)

    return times


def _histogram(args: Arguments, kwargs: Keywords) -> int:
    # Without a range the smallest and the largest value are read first.
    return 2 if _argument(args, kwargs, 2, "min", 0) == _argument(args, kwargs, 3, "max", 0) else 0


def _multinomial(args: Arguments, kwargs: Keywords) -> int:
    return 2 if args[1] == 1 or not _argument(args, kwargs, 2, "replacement", False) else 0


def _repeat(_: Arguments, kwargs: Keywords) -> int:
    return 0 if kwargs.get("output_size") is not None else 2


# Counted in the C++ sources and the calls of the 2.11.0+cu130 libraries.
_WAITS: dict[str, tuple[Kind, Times]] = {
    "_local_scalar_dense.default": (Kind.SCALAR, 1),
    "equal.default": (Kind.SCALAR, 1),
    "allclose.default": (Kind.SCALAR, 1),
    "nonzero.default": (Kind.SHAPE, 1),
    "masked_select.default": (Kind.SHAPE, 1),
    "_unique.default": (Kind.SHAPE, 1),
    "_unique2.default": (Kind.SHAPE, 1),
    "unique_dim.default": (Kind.SHAPE, 1),
    "unique_consecutive.default": (Kind.SHAPE, 1),
    "unique_dim_consecutive.default": (Kind.SHAPE, 1),
    "bincount.default": (Kind.SHAPE, 2),
    "histc.default": (Kind.SHAPE, _histogram),
    "repeat_interleave.Tensor": (Kind.SHAPE, _repeat),
    "multinomial.default": (Kind.CHECK, _multinomial),
    "normal.Tensor_Tensor": (Kind.CHECK, 1),
    "normal.float_Tensor": (Kind.CHECK, 1),
    "_linalg_check_errors.default": (Kind.CHECK, 1),
    "masked_fill.Tensor": (Kind.SCALAR, _if_on_gpu(2)),
    "masked_fill_.Tensor": (Kind.SCALAR, _if_on_gpu(2)),
    "index_fill.int_Tensor": (Kind.SCALAR, _if_on_gpu(3)),
    "index_fill_.int_Tensor": (Kind.SCALAR, _if_on_gpu(3)),
    "linspace.Scalar_Tensor": (Kind.SCALAR, 1),
    "linspace.Tensor_Scalar": (Kind.SCALAR, 1),
    "linspace.Tensor_Tensor": (Kind.SCALAR, 2),
}
_BY_OPERATION = {operation: _WAITS[name] for name, operation in found(_WAITS).items()}
_COPY = named("copy_.default")


def note_waits(
    simulation: Simulation, operation: object, args: Arguments, kwargs: Keywords, gpus: Sequence[int | None]
) -> None:
    """Log the waits of an operation on a GPU."""
    if operation in _BY_OPERATION:
        kind, times = _BY_OPERATION[operation]
        simulation.wait(kind, str(operation), times if isinstance(times, int) else times(args, kwargs))
    elif operation in INDEXING:
        _note_indexing(simulation, str(operation), args)
    elif operation in _COPY and not _argument(args, kwargs, 2, "non_blocking", False):
        _note_copy(simulation, str(operation), gpus)


def _note_copy(simulation: Simulation, operation: str, gpus: Sequence[int | None]) -> None:
    to, source = gpus[0], gpus[-1]
    if (to is None) != (source is None):
        simulation.wait(Kind.DOWNLOAD if to is None else Kind.UPLOAD, operation)


def _note_indexing(simulation: Simulation, operation: str, args: Arguments) -> None:
    listed = args[1] if isinstance(args[1], (list, tuple)) else ()
    indices = [index for index in listed if isinstance(index, Tensor)]
    masks = [index for index in indices if not _counts_itself(index)]
    if not ("put" in operation and _is_number(args[2])):
        for mask in masks:
            if gpu_of(mask) is not None:
                simulation.wait(Kind.SHAPE, f"{operation} (mask)")
    if any(gpu_of(index) is None and _counts_itself(index) for index in indices):
        simulation.wait(Kind.UPLOAD, f"{operation} (index on the CPU)")


def _counts_itself(index: Tensor) -> bool:
    """Tell whether the index's own shape determines how many elements it selects; a mask's does not."""
    return str(index.dtype) not in {"torch.bool", "torch.uint8"}


def _is_number(value: object) -> bool:
    # `x[mask] = 1.0` arrives as a CPU tensor of one element, and becomes masked_fill.
    return isinstance(value, Tensor) and value.numel() == 1 and gpu_of(value) is None
