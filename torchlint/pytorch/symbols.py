"""What PyTorch's names are. Checked on torch 2.13.

The names are those of the public documentation; private paths to the same object are mapped to them.
"""

from __future__ import annotations

DATA_PARALLEL = "torch.nn.DataParallel"
DISTRIBUTED = "torch.nn.parallel.DistributedDataParallel"
SHARDED = "torch.distributed.fsdp.FullyShardedDataParallel"
COMPILED = "torch.compile"
CUDA_CONTEXT = "torch.cuda.device"
LOADER = "torch.utils.data.DataLoader"
SUBSET = "torch.utils.data.Subset"
ITERABLE_DATASETS = frozenset({"torch.utils.data.IterableDataset", "torch.utils.data.dataset.IterableDataset"})
TENSOR_DATASET = "torch.utils.data.TensorDataset"
MODULE = "torch.nn.Module"
PARAMETER = "torch.nn.Parameter"
SCALER = "torch.amp.GradScaler"
IGNITE_ENGINE = "ignite.engine.Engine"
CONVERT_NORMS = "torch.nn.SyncBatchNorm.convert_sync_batchnorm"
"""Functions that return their argument, a module, with other layers for batch norms."""

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
"""Prefixes of the names of modules."""

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
"""Prefixes of the names of functions that return a module."""


def canonical(name: str) -> str:
    """Return the public name of something of PyTorch."""
    return _CANONICAL.get(name, name)


def is_class_name(name: str) -> bool:
    """Tell whether the last part of a full name looks like a class."""
    return name.rpartition(".")[2][:1].isupper()
