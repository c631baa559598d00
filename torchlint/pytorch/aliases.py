"""The public names of what has others: private paths in PyTorch, and names of companions. Checked on torch 2.13."""

from __future__ import annotations

from torchlint.pytorch.companions import COMPANIONS
from torchlint.pytorch.symbols import (
    AUTOGRAD_FUNCTION,
    BUFFER,
    CONVERT_NORMS,
    DATA_PARALLEL,
    DISTRIBUTED,
    LOAD,
    MODULE,
    PARAMETER,
    SAVE,
    SCALER,
    SHARDED,
    UNINITIALIZED,
    VARIABLE,
)

# What the modules of `torch.utils.data` define that the package itself has too, on torch 2.13.
_DATA_MODULES = {
    "dataloader": "DataLoader default_collate default_convert get_worker_info",
    "dataset": "ChainDataset ConcatDataset Dataset IterableDataset StackDataset Subset TensorDataset random_split",
    "distributed": "DistributedSampler",
    "sampler": ("BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler WeightedRandomSampler"),
}
# What these modules define that the package above has too, on torch 2.13.
_PRIVATE_MODULES = (
    ("torch.autograd", "anomaly_mode", "detect_anomaly set_detect_anomaly"),
    ("torch.amp", "autocast_mode", "autocast custom_bwd custom_fwd"),
    ("torch.cuda.amp", "autocast_mode", "autocast custom_bwd custom_fwd"),
    ("torch.nn.utils", "clip_grad", "clip_grad_norm clip_grad_norm_ clip_grad_value_"),
)
_CANONICAL = {
    "torch.nn.parallel.DataParallel": DATA_PARALLEL,
    "torch.nn.parallel.data_parallel.DataParallel": DATA_PARALLEL,
    "torch.nn.parallel.distributed.DistributedDataParallel": DISTRIBUTED,
    "torch.nn.modules.batchnorm.SyncBatchNorm.convert_sync_batchnorm": CONVERT_NORMS,
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel": SHARDED,
    **{
        f"torch.utils.data.{module}.{name}": f"torch.utils.data.{name}"
        for module, names in _DATA_MODULES.items()
        for name in names.split()
    },
    "torch.autograd.variable.Variable": VARIABLE,
    "torch.nn.parameter.Buffer": BUFFER,
    "torch.nn.parameter.UninitializedParameter": UNINITIALIZED,
    "torch.nn.modules.Module": MODULE,
    "torch.nn.modules.module.Module": MODULE,
    "torch.nn.parameter.Parameter": PARAMETER,
    "torch.optim.optimizer.Optimizer": "torch.optim.Optimizer",
    "torch.GradScaler": SCALER,
    "torch.amp.grad_scaler.GradScaler": SCALER,
    "torch.cuda.amp.GradScaler": SCALER,
    "torch.cuda.amp.grad_scaler.GradScaler": SCALER,
    "torch.serialization.save": SAVE,
    "torch.serialization.load": LOAD,
    "torch.functional.einsum": "torch.einsum",
    "torch.autograd.function.Function": AUTOGRAD_FUNCTION,
    **{
        f"{space}.{module}.{name}": f"{space}.{name}"
        for space, module, names in _PRIVATE_MODULES
        for name in names.split()
    },
    **{name: full for companion in COMPANIONS for name, full in companion.aliases.items()},
}


def canonical(name: str) -> str:
    """Return the public name of something of PyTorch."""
    return _CANONICAL.get(name, name)
