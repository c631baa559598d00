"""What PyTorch's names are. Checked on torch 2.13.

The names are those of the public documentation; `aliases.py` maps private paths to the same object to them.
"""

from __future__ import annotations

DATA_PARALLEL = "torch.nn.DataParallel"
DISTRIBUTED = "torch.nn.parallel.DistributedDataParallel"
SHARDED = "torch.distributed.fsdp.FullyShardedDataParallel"
COMPILED = "torch.compile"
EXPORTED = "torch.export.export"
CUDA_CONTEXT = "torch.cuda.device"
LOADER = "torch.utils.data.DataLoader"
SUBSET = "torch.utils.data.Subset"
ITERABLE_DATASETS = frozenset({"torch.utils.data.IterableDataset", "torch.utils.data.dataset.IterableDataset"})
TENSOR_DATASET = "torch.utils.data.TensorDataset"
MODULE = "torch.nn.Module"
SAVE = "torch.save"
LOAD = "torch.load"
PARAMETER = "torch.nn.Parameter"
SCALER = "torch.amp.GradScaler"
CONVERT_NORMS = "torch.nn.SyncBatchNorm.convert_sync_batchnorm"
"""Functions that return their argument, a module, with other layers for batch norms."""


def is_class_name(name: str) -> bool:
    """Tell whether the last part of a full name looks like a class."""
    return name.rpartition(".")[2][:1].isupper()
