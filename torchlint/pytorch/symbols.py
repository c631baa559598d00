"""What PyTorch's names are and what kind of thing its functions return. Checked on torch 2.13.

The names are those of the public documentation; private paths to the same object are mapped to them.
"""

from __future__ import annotations

import re

DATA_PARALLEL = "torch.nn.DataParallel"
DISTRIBUTED = "torch.nn.parallel.DistributedDataParallel"
SHARDED = "torch.distributed.fsdp.FullyShardedDataParallel"
COMPILED = "torch.compile"
CUDA_CONTEXT = "torch.cuda.device"
LOADER = "torch.utils.data.DataLoader"
MODULE = "torch.nn.Module"
PARAMETER = "torch.nn.Parameter"
SCALER = "torch.amp.GradScaler"
IGNITE_ENGINE = "ignite.engine.Engine"
CONVERT_NORMS = "torch.nn.SyncBatchNorm.convert_sync_batchnorm"
"""What gives back the module that it is given, with other layers for batch norms."""

# What the modules of `torch.utils.data` define that the package itself has too, on torch 2.13.
_DATA_MODULES = {
    "dataloader": "DataLoader default_collate default_convert get_worker_info",
    "dataset": "ChainDataset ConcatDataset Dataset IterableDataset StackDataset Subset TensorDataset random_split",
    "distributed": "DistributedSampler",
    "sampler": ("BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler WeightedRandomSampler"),
}
_CANONICAL = {
    "ignite.engine.engine.Engine": IGNITE_ENGINE,
    "torch.nn.parallel.DataParallel": DATA_PARALLEL,
    "torch.nn.parallel.data_parallel.DataParallel": DATA_PARALLEL,
    "torch.nn.parallel.distributed.DistributedDataParallel": DISTRIBUTED,
    "apex.parallel.DistributedDataParallel": DISTRIBUTED,
    "apex.parallel.convert_syncbn_model": CONVERT_NORMS,
    "torch.nn.modules.batchnorm.SyncBatchNorm.convert_sync_batchnorm": CONVERT_NORMS,
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel": SHARDED,
    **{
        f"torch.utils.data.{module}.{name}": f"torch.utils.data.{name}"
        for module, names in _DATA_MODULES.items()
        for name in names.split()
    },
    "torch.autograd.variable.Variable": "torch.autograd.Variable",
    "torch.nn.parameter.Buffer": "torch.nn.Buffer",
    "torch.nn.parameter.UninitializedParameter": "torch.nn.UninitializedParameter",
    "torch.nn.modules.Module": MODULE,
    "torch.nn.modules.module.Module": MODULE,
    "torch.nn.parameter.Parameter": PARAMETER,
    "torch.optim.optimizer.Optimizer": "torch.optim.Optimizer",
    "torch.GradScaler": SCALER,
    "torch.amp.grad_scaler.GradScaler": SCALER,
    "torch.cuda.amp.GradScaler": SCALER,
    "torch.cuda.amp.grad_scaler.GradScaler": SCALER,
    "torch.serialization.save": "torch.save",
    "torch.serialization.load": "torch.load",
    "torch.functional.einsum": "torch.einsum",
}

OTHER_FRAMEWORKS = frozenset("megengine mindspore paddle flax haiku jittor oneflow mxnet keras tensorflow".split())
"""Packages whose classes are called `Module` too."""

MODULE_SPACES = ("torch.nn.", "einops.layers.torch.")
"""Beginnings of the names of modules."""

# What raises on a machine without CUDA, measured on torch 2.13.0+cpu and 2.11.0+cu130 without a driver; the memory
# counters, `empty_cache`, `manual_seed` and `device_count` do not. An event without a driver raises when recorded.
# From `can_device_access_peer` on, on 2.13.0+cpu alone: each starts CUDA first thing, whatever the build.
NEEDS_CUDA = frozenset(
    f"torch.cuda.{name}"
    for name in (
        "set_device synchronize current_device get_device_name get_device_properties get_device_capability"
        " current_stream default_stream mem_get_info Stream Event can_device_access_peer cudart current_blas_handle"
        " get_per_process_memory_fraction get_rng_state get_stream_from_external get_sync_debug_mode init initial_seed"
        " ipc_collect set_per_process_memory_fraction set_sync_debug_mode"
    ).split()
)
"""Functions and classes of PyTorch that mean CUDA, whatever they are given."""

MODULE_FACTORIES = (
    "torchvision.models.",
    "torch.hub.load",
    "torch.jit.load",
    "torch.jit.script",
    "torch.jit.trace",
    "timm.create_model",
    "timm.models.create_model",
    "segmentation_models_pytorch.",
)
"""Beginnings of the names of functions that return a module."""

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
"""Functions that make a tensor of their own on `device=`, which has the same numbers wherever it is made.

Those of the functions of PyTorch that take `device=` and no tensor which neither draw numbers nor are given them.
"""
FACTORIES = COMPUTING_FACTORIES | frozenset(
    f"torch.{name}"
    for name in (
        "as_tensor asarray from_file from_numpy frombuffer rand randint randn randperm sparse_coo_tensor tensor"
        " Tensor FloatTensor DoubleTensor HalfTensor LongTensor IntTensor ShortTensor ByteTensor BoolTensor"
    ).split()
)
"""Functions that make a tensor on `device=`, or else on the host."""

FROM_MEMORY = frozenset({"torch.from_numpy", "torch.from_file", "torch.frombuffer"})
"""Those whose tensor shares the memory that they are given, which is the host's; checked on torch 2.13.0."""

_LEGACY = re.compile(r"torch\.(cuda\.)?(sparse\.)?(Float|Double|Half|BFloat16|Byte|Char|Short|Int|Long|Bool)?Tensor")

NUMBERS = frozenset(
    f"torch.{name}"
    for name in (
        "allclose can_cast equal get_num_threads initial_seed is_complex is_floating_point is_grad_enabled is_nonzero"
        " is_storage is_tensor numel seed typename finfo iinfo"
        " cuda.device_count cuda.is_available cuda.is_bf16_supported cuda.current_device cuda.memory_allocated"
        " cuda.max_memory_allocated cuda.memory_reserved cuda.max_memory_reserved cuda.get_device_capability"
        " distributed.get_rank distributed.get_world_size distributed.is_available distributed.is_initialized"
        " backends.mps.is_available xpu.is_available mps.is_available accelerator.is_available"
        " accelerator.device_count"
    ).split()
)

# Namespaces whose functions return tensors; those of the others (`torch.futures.wait_all`) return what they like.
TENSOR_SPACES = frozenset(
    "Tensor _C distributions fft functional linalg masked nested nn ops signal sparse special".split()
)
TENSOR_NN = ("torch.nn.functional.", "torch.nn.init.", "torch.nn.utils.rnn.", "torch.nn.utils.parameters_to_vector")
NOTHING = frozenset(
    f"torch.{name}"
    for name in (
        "save load manual_seed no_grad enable_grad inference_mode autocast compile device dtype Generator"
    ).split()
)

TENSOR_NUMBERS = frozenset(
    "item size dim numel nelement ndimension stride data_ptr element_size is_contiguous is_floating_point is_complex"
    " storage_offset get_device is_pinned is_shared is_set_to equal allclose".split()
)
WITHOUT_GRAPH = frozenset(
    "detach detach_ argmax argmin argsort eq ne gt lt ge le equal isnan isinf isfinite isclose long int short byte"
    " bool char nonzero sign floor ceil round new_zeros new_ones new_full new_empty new_tensor zeros_like ones_like"
    " rand_like randn_like full_like empty_like bincount one_hot multinomial bernoulli any all logical_and"
    " logical_or logical_not".split()
)
TENSOR_ONLY = frozenset(
    "detach detach_ unsqueeze unsqueeze_ permute contiguous softmax log_softmax sigmoid masked_fill masked_fill_"
    " masked_select scatter scatter_ scatter_add scatter_add_ gather topk type_as new_zeros new_ones new_full new_empty"
    " new_tensor expand expand_as bmm mm addmm index_select logsumexp relu clamp_ clamp_min add_ mul_"
    " div_ sub_ zero_ fill_ copy_ normal_ uniform_ chunk bool long square square_ rsqrt".split()
)
"""Methods that tensors have and neither ndarrays nor modules nor containers do."""
ABOUT_TORCH = re.compile(r"torch\.(_C\._)?(get|set|is|are|use|sym|init|import|parse|clear|autocast)_\w+")
"""What tells of PyTorch or sets it, and has no tensor to return: `torch.get_device_module("cuda")`."""


def canonical(name: str) -> str:
    """Return the public name of something of PyTorch."""
    return _CANONICAL.get(name, name)


def legacy_device(name: str) -> str | None:
    """Return the kind of device on which an old constructor (`torch.FloatTensor`) makes tensors, None for others."""
    match = _LEGACY.fullmatch(name)
    return None if match is None else "cuda" if match[1] else "cpu"


def is_class_name(name: str) -> bool:
    """Tell whether a full name ends as classes do."""
    return name.rpartition(".")[2][:1].isupper()
