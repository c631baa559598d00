"""Names that PyTorch and its companions had once: the release in which each of them raises, and what replaces it.

Each name of PyTorch is absent from torch 2.13, or a function that does nothing but raise there, and its replacement
exists there, which the tests check. Releases from 1.8 on are those of the sources (`marked.py`), older ones those of
the release notes, https://github.com/pytorch/pytorch/releases, or of the issues cited.
"""

from __future__ import annotations

from dataclasses import replace

from torchlint.pytorch.companions import COMPANIONS
from torchlint.pytorch.kinds import Removal, renamed
from torchlint.pytorch.marked import MARKED

_CLASSES = "(str, bytes)"
# torch._six as it was in 1.13: https://github.com/pytorch/pytorch/blob/v1.13.0/torch/_six.py
# The module went with 2.0: https://github.com/pytorch/pytorch/pull/94709
_SIX = Removal(
    (2, 0),
    "what Python has itself",
    parts={
        "string_classes": _CLASSES,
        "int_classes": "int",
        "container_abcs": "collections.abc",
        "inf": "math.inf",
        "nan": "math.nan",
        "queue": "queue",
    },
)
_COLLATE = "torch.utils.data._utils.collate"
# https://github.com/pytorch/ao
_PT2E = Removal((2, 11), "the package `torchao`")

_WRITTEN: dict[str, Removal] = {
    # Functions that raise: https://github.com/pytorch/pytorch/pull/70988 and the pull requests that it names.
    "torch.cholesky": Removal((2, 14), "`torch.linalg.cholesky`", (1, 8)),
    "torch.qr": Removal((2, 14), "`torch.linalg.qr`", (1, 8)),
    "torch.symeig": Removal((2, 0), "`torch.linalg.eigh`", (1, 8)),
    "torch.eig": Removal((1, 13), "`torch.linalg.eig`", (1, 9)),
    "torch.lstsq": Removal((1, 13), "`torch.linalg.lstsq`", (1, 9)),
    "torch.solve": Removal((1, 12), "`torch.linalg.solve`, which takes the matrix first", (1, 8)),
    "torch.matrix_rank": Removal((1, 13), "`torch.linalg.matrix_rank`", (1, 8)),
    # https://github.com/pytorch/pytorch/issues/49637
    "torch.rfft": Removal((1, 8), "`torch.fft.rfft` or `torch.fft.fft`", (1, 7)),
    "torch.irfft": Removal((1, 8), "`torch.fft.irfft` or `torch.fft.ifft`", (1, 7)),
    "torch.ifft": Removal((1, 8), "`torch.fft.ifft`", (1, 7)),
    # 1.2, and 1.3 for `gels`: https://github.com/pytorch/pytorch/issues/50379, .../31700
    "torch.gels": Removal((1, 3), "`torch.linalg.lstsq`", (1, 9)),
    "torch.gesv": Removal((1, 2), "`torch.linalg.solve`, which takes the matrix first", (1, 8)),
    "torch.trtrs": Removal((1, 2), "`torch.linalg.solve_triangular`", (1, 11)),
    "torch.potrf": Removal((1, 2), "`torch.linalg.cholesky`", (1, 8)),
    "torch.potri": Removal((1, 2), "`torch.cholesky_inverse`", (1, 1)),
    "torch.potrs": Removal((1, 2), "`torch.cholesky_solve`", (1, 1)),
    "torch.btrifact": Removal((1, 2), "`torch.linalg.lu_factor`", (1, 11)),
    "torch.btrifact_with_info": Removal((1, 2), "`torch.linalg.lu_factor_ex`", (1, 11)),
    "torch.btrisolve": Removal((1, 2), "`torch.linalg.lu_solve`", (1, 13)),
    "torch.btriunpack": renamed((1, 2), "torch.lu_unpack", (1, 1)),
    # https://github.com/pytorch/pytorch/pull/62158
    "torch.set_deterministic": renamed((1, 10), "torch.use_deterministic_algorithms", (1, 8)),
    "torch.is_deterministic": renamed((1, 10), "torch.are_deterministic_algorithms_enabled", (1, 8)),
    "torch._six": _SIX,
    # https://github.com/pytorch/pytorch/commit/58eb23378f2a, with 1.9
    f"{_COLLATE}.container_abcs": renamed((1, 9), "collections.abc"),
    f"{_COLLATE}.int_classes": renamed((1, 9), "int"),
    f"{_COLLATE}.string_classes": renamed((2, 0), _CLASSES),
    # https://github.com/pytorch/pytorch/pull/12122
    "torch.utils.ffi": Removal((1, 0), "`torch.utils.cpp_extension`"),
    "torch.legacy": Removal((1, 0), "`torch.nn`"),
    # https://github.com/pytorch/pytorch/issues/15307
    "torch.utils.serialization.load_lua": Removal((1, 0), "the package `torchfile`"),
    "torch.nn.modules.linear._LinearWithBias": renamed(
        (1, 9), "torch.nn.modules.linear.NonDynamicallyQuantizableLinear", (1, 9)
    ),
    # https://github.com/pytorch/pytorch/pull/116192, with 2.3
    "torch._utils._accumulate": renamed((2, 3), "itertools.accumulate"),
    "torch.utils.data.dataset._accumulate": renamed((2, 3), "itertools.accumulate"),
    # https://github.com/pytorch/pytorch/pull/19228
    "torch.utils.data.dataloader._DataLoaderIter": Removal((1, 2), "`iter(loader)`, or a `Sampler` of your own"),
    # https://github.com/pytorch/pytorch/issues/60523
    "torch.autograd.gradcheck.zero_gradients": Removal((1, 9), "`x.grad = None`"),
    # https://github.com/Megvii-BaseDetection/YOLOX/pull/1811: absent from 2.5.1
    "torch.onnx._export": Removal((2, 5), "`torch.onnx.export`"),
    # https://github.com/pytorch/pytorch/pull/158130
    "torch.onnx.dynamo_export": Removal((2, 9), "`torch.onnx.export` with `dynamo=True`", (2, 5)),
    "torch.onnx.symbolic_registry": Removal((1, 13), "`torch.onnx.register_custom_op_symbolic`", (1, 2)),
    "torch.onnx.export_to_pretty_string": Removal((2, 6), "`torch.onnx.export`"),
    "torch.distributed.pipeline": Removal((2, 4), "`torch.distributed.pipelining`", (2, 4)),
    **{
        f"torch.distributed.{name}_multigpu": Removal((2, 2), f"`torch.distributed.{name}` in a process for each GPU")
        for name in "all_reduce all_gather broadcast reduce reduce_scatter".split()
    },
    "torch.distributed.tensor.parallel.PairwiseParallel": Removal(
        (2, 2), "`torch.distributed.tensor.parallel.ColwiseParallel` and `RowwiseParallel`", (2, 0)
    ),
    "torch.distributed.fsdp.wrap.default_auto_wrap_policy": renamed(
        (1, 12), "torch.distributed.fsdp.wrap.size_based_auto_wrap_policy", (1, 12)
    ),
    "torch.export.dynamic_dim": Removal((2, 5), "`torch.export.Dim`", (2, 2)),
    "torch.export.export_for_training": Removal((2, 11), "`torch.export.export`", (2, 1)),
    "torch.export.export_for_inference": Removal((2, 8), "`torch.export.export`", (2, 1)),
    "torch.autograd.function.traceable": Removal((2, 4), "nothing, as it has no effect"),
    "torch.nested_tensor": renamed((1, 13), "torch.nested.nested_tensor", (1, 13)),
    "torch.profiler.ExecutionGraphObserver": renamed((2, 1), "torch.profiler.ExecutionTraceObserver", (2, 1)),
    "torch.utils.bottleneck": Removal((2, 10), "`torch.profiler`", (1, 9)),
    "torch.ao.quantization.quantize_pt2e": _PT2E,
    "torch.ao.quantization.quantizer": _PT2E,
    "torch.ao.quantization.pt2e": _PT2E,
    "torch.ao.sparsity": Removal((2, 0), "`torch.ao.pruning`", (2, 0)),
}


def _generated() -> dict[str, Removal]:
    """Return the names that raise or are absent by now, and for which PyTorch's sources named a replacement."""
    return {
        name: Removal(row.gone, f"`{row.instead}`", row.instead_since)
        for name, row in MARKED.items()
        if row.gone is not None and row.instead_since is not None
    }


_OF_COMPANIONS = {name: row for companion in COMPANIONS for name, row in companion.removed.items()}
REMOVED = {
    name: replace(removal, is_called=name in MARKED and MARKED[name].how == "raises")
    for name, removal in {**_generated(), **_WRITTEN, **_OF_COMPANIONS}.items()
}
"""What was removed, by its full name; of a module, all that it had."""

METHODS = {
    name: REMOVED[f"torch.{name}"]
    for name in "symeig eig lstsq solve cholesky qr rfft irfft ifft gels gesv trtrs potrf potri potrs btrifact".split()
}
"""Methods of tensors that raise or are absent since the function of that name is."""

# torch 1.12 defines it in `_BaseDataLoaderIter`, for Python 2; 1.13 does not.
NEXT_NAME = "torch.utils.data.DataLoader.next"
NEXT = Removal((1, 13), "`next(…)`")
"""The method `next` of an iterator of a `DataLoader`."""

# https://github.com/pytorch/pytorch/pull/86724
STFT_NAMES = frozenset({"torch.stft", "torch.functional.stft"})
STFT = Removal((2, 0), "`return_complex=True`")
"""`torch.stft` of a real signal without `return_complex`."""
STFT_POSITION = 9
"""The position of `return_complex` in `torch.stft`."""

CALLED = {"torch.fft": Removal((1, 8), "`torch.fft.fft`", (1, 7))}
"""Former functions that are modules of that name now, which raise when they are called."""


def removal_of(name: str) -> Removal | None:
    """Return the removal of a full name, or of the module that it is in; None if it may exist."""
    whole = name
    while "." in whole:
        found = REMOVED.get(whole)
        if found is not None and (whole == name or not found.is_called):
            same = found.parts.get(name.removeprefix(f"{whole}."), "")
            return replace(found, instead=f"`{same}`", same=same) if same else found
        whole = whole.rpartition(".")[0]
    return None
