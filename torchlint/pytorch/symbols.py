"""What PyTorch's names are. Checked on torch 2.13.

The names are those of the public documentation; `aliases.py` maps private paths to the same object to them.
"""

from __future__ import annotations

NN = "torch.nn."
FUNCTIONAL = "torch.nn.functional."
OPTIM = "torch.optim."
CUDA = "torch.cuda."
"""The prefixes of the names of layers, of their functions, of optimizers, and of what is about CUDA."""
DATA_PARALLEL = "torch.nn.DataParallel"
DISTRIBUTED = "torch.nn.parallel.DistributedDataParallel"
SHARDED = "torch.distributed.fsdp.FullyShardedDataParallel"
COMPILED = "torch.compile"
COMPILED_MODULES = frozenset({"torch._dynamo.OptimizedModule", "torch._dynamo.eval_frame.OptimizedModule"})
"""The names of the class of what it returns for a module, which is a module, too (torch 2.13)."""
EXPORTED = "torch.export.export"
CUDA_CONTEXT = "torch.cuda.device"
LOADER = "torch.utils.data.DataLoader"
SUBSET = "torch.utils.data.Subset"
RANDOM_SPLIT = "torch.utils.data.random_split"
RANDOM_SAMPLER = "torch.utils.data.RandomSampler"
BATCH_SAMPLER = "torch.utils.data.BatchSampler"
DISTRIBUTED_SAMPLER = "torch.utils.data.DistributedSampler"
ITERABLE_DATASETS = frozenset({"torch.utils.data.IterableDataset", "torch.utils.data.dataset.IterableDataset"})
TENSOR_DATASET = "torch.utils.data.TensorDataset"
MODULE = "torch.nn.Module"
HANDLE = "torch.utils.hooks.RemovableHandle"
SEQUENTIAL = "torch.nn.Sequential"
MODULE_LIST = "torch.nn.ModuleList"
MODULE_DICT = "torch.nn.ModuleDict"
BUFFER = "torch.nn.Buffer"
UNINITIALIZED = "torch.nn.UninitializedParameter"
TENSOR = "torch.Tensor"
VARIABLE = "torch.autograd.Variable"
"""A tensor, since torch 0.4; every tensor is an instance of it."""
AUTOGRAD_FUNCTION = "torch.autograd.Function"
DTYPE = "torch.dtype"
DEVICE = "torch.device"
SIZE = "torch.Size"
GENERATOR = "torch.Generator"
MESHGRID = "torch.meshgrid"
IS_TENSOR = "torch.is_tensor"
IS_AUTOCAST_ENABLED = "torch.is_autocast_enabled"
SAVE = "torch.save"
LAMBDA_LR = "torch.optim.lr_scheduler.LambdaLR"
LOAD = "torch.load"
VERSION = "torch.__version__"
VERSION_CLASS = "torch.torch_version.TorchVersion"
GPU_VERSIONS = frozenset({"torch.version.cuda", "torch.version.hip"})
"""What a build is for: one of them is a text, the others are None. A build for ROCm has its GPUs as `torch.cuda`."""
PARAMETER = "torch.nn.Parameter"
SCALER = "torch.amp.GradScaler"
CONVERT_NORMS = "torch.nn.SyncBatchNorm.convert_sync_batchnorm"
"""Functions that return their argument, a module, with other layers for batch norms."""


def is_class_name(name: str) -> bool:
    """Tell whether the last part of a full name looks like a class."""
    return name.rpartition(".")[2][:1].isupper()
