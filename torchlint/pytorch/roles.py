"""Which classes of PyTorch and its companions play which role in training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """What an object of a class is used for; everything with a role has the methods of PyTorch's own."""

    OPTIMIZER = "optimizer"
    """Is made of parameters; `step()` changes them by their gradients, `zero_grad()` clears these."""
    SCHEDULER = "scheduler"
    """Is made of an optimizer; `step()` changes its learning rate."""
    METRIC_SCHEDULER = "scheduler that goes by a metric"
    """The same, by the argument of `step(metric)`."""
    LOADER = "loader"
    """Is made of a data set, with the arguments of `DataLoader`, and yields batches of tensors."""
    GRAPH_LOADER = "loader of graphs"
    """Is made of a data set, and yields graphs, which hold tensors."""
    SCALER = "gradient scaler"
    """Has `scale(loss)`, `unscale_(optimizer)`, `step(optimizer)` and `update()`."""


@dataclass(frozen=True, slots=True)
class Package:
    """The classes of a package for each role: their names, whichever of its modules they are imported from."""

    name: str
    source: str
    """The version that was read."""
    classes: Mapping[Role, str]
    """The names of classes, with spaces between them."""


TORCH = (
    Package(
        "torch.optim",
        "torch 2.13.0",
        {
            Role.OPTIMIZER: (
                "ASGD Adadelta Adafactor Adagrad Adam AdamW Adamax LBFGS Muon NAdam Optimizer RAdam RMSprop Rprop"
                " SGD SparseAdam"
            ),
            Role.SCHEDULER: (
                "ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts CyclicLR ExponentialLR"
                " LRScheduler LambdaLR LinearLR MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR SWALR"
                " SequentialLR StepLR _LRScheduler"
            ),
            Role.METRIC_SCHEDULER: "ReduceLROnPlateau",
        },
    ),
    Package(
        "torch.distributed.optim",
        "torch 2.13.0",
        {
            Role.OPTIMIZER: "PostLocalSGDOptimizer ZeroRedundancyOptimizer",
        },
    ),
    Package(
        "torch.utils.data",
        "torch 2.13.0",
        {
            Role.LOADER: "DataLoader",
        },
    ),
    *(
        Package(name, "torch 2.13.0", {Role.SCALER: "GradScaler"})
        for name in ("torch.amp", "torch.cuda.amp", "torch.cpu.amp")
    ),
    Package(
        "torch.distributed.fsdp",
        "torch 2.13.0",
        {
            Role.SCALER: "GradScaler ShardedGradScaler",
        },
    ),
)
COMPANIONS = (
    Package(
        "apex",
        "apex 25.09",
        {
            Role.OPTIMIZER: "FusedAdagrad FusedAdam FusedLAMB FusedMixedPrecisionLamb FusedNovoGrad FusedSGD",
        },
    ),
    Package(
        "bitsandbytes",
        "bitsandbytes 0.50.2",
        {
            Role.OPTIMIZER: (
                "AdEMAMix AdEMAMix32bit AdEMAMix8bit Adagrad Adagrad32bit Adagrad8bit Adam Adam32bit Adam8bit AdamW"
                " AdamW32bit AdamW8bit LAMB LAMB32bit LAMB8bit LARS LARS32bit LARS8bit Lion Lion32bit Lion8bit"
                " PagedAdEMAMix PagedAdEMAMix32bit PagedAdEMAMix8bit PagedAdam PagedAdam32bit PagedAdam8bit"
                " PagedAdamW PagedAdamW32bit PagedAdamW8bit PagedLion PagedLion32bit PagedLion8bit RMSprop"
                " RMSprop32bit RMSprop8bit SGD SGD32bit SGD8bit"
            ),
        },
    ),
    Package(
        "deepspeed.ops",
        "deepspeed 0.19.8",
        {
            Role.OPTIMIZER: "DeepSpeedCPUAdagrad DeepSpeedCPUAdam DeepSpeedCPULion FusedAdam FusedLamb FusedLion",
        },
    ),
    Package(
        "galore_torch",
        "galore-torch 1.0",
        {
            Role.OPTIMIZER: "GaLoreAdafactor GaLoreAdamW GaLoreAdamW8bit",
        },
    ),
    Package(
        "lion_pytorch",
        "lion-pytorch 0.2.5",
        {
            Role.OPTIMIZER: "Lion",
        },
    ),
    Package(
        "monai",
        "monai 1.6.1",
        {
            Role.OPTIMIZER: "Novograd",
            Role.LOADER: "DataLoader",
        },
    ),
    Package(
        "prodigyopt",
        "prodigyopt 1.1.2",
        {
            Role.OPTIMIZER: "Prodigy",
        },
    ),
    Package(
        "pytorch_optimizer",
        "pytorch_optimizer 4.1.0",
        {
            Role.OPTIMIZER: (
                "ADOPT ASGD AdEMAMix AdaBelief AdaBound AdaDelta AdaFactor AdaMax AdaMod AdaNorm AdaPNM AdaSmooth"
                " Adai Adalite AdamG AdamMini AdamP AdamS AdamWSN Adan AggMo AvaGrad CAME DAdaptAdaGrad DAdaptAdam"
                " DAdaptAdan DAdaptLion DAdaptSGD DiffGrad FTRL Fromage Grams Gravity Kate LARS LaProp Lamb Lion"
                " MADGRAD MARS Muon Nero NovoGrad PAdam PID PNM Prodigy QHAdam QHM RAdam Ranger Ranger21 SGDP SGDW"
                " SM3 SOAP ScheduleFreeAdamW ScheduleFreeRAdam ScheduleFreeSGD SignSGD StableAdamW Tiger Yogi"
            ),
            Role.SCHEDULER: "CosineAnnealingWarmupRestarts REXScheduler",
        },
    ),
    Package(
        "schedulefree",
        "schedulefree 1.4.1",
        {
            Role.OPTIMIZER: "AdamWScheduleFree RAdamScheduleFree SGDScheduleFree",
        },
    ),
    Package(
        "speechbrain",
        "speechbrain 1.1.2",
        {
            Role.LOADER: "SaveableDataLoader",
        },
    ),
    Package(
        "timm",
        "timm 1.0.31",
        {
            Role.OPTIMIZER: (
                "AdaBelief Adafactor AdafactorBigVision AdamP AdamWLegacy Adan Adopt LaProp Lamb Lars Lion MADGRAD"
                " Mars Muon NAdamLegacy NAdamW NvNovoGrad RAdamLegacy RMSpropTF SGDP SGDW"
            ),
            Role.LOADER: "MultiEpochsDataLoader",
        },
    ),
    Package(
        "torch_geometric",
        "torch_geometric 2.8.1",
        {
            Role.GRAPH_LOADER: "DataLoader DenseDataLoader",
        },
    ),
    Package(
        "torch_optimizer",
        "torch_optimizer 0.3.0",
        {
            Role.OPTIMIZER: (
                "AccSGD AdaBelief AdaBound AdaMod Adafactor AdamP AggMo Apollo DiffGrad LARS Lamb MADGRAD NovoGrad"
                " PID QHAdam QHM RAdam SGDP SGDW SWATS Yogi"
            ),
        },
    ),
    Package(
        "torchdata",
        "torchdata 0.11.0",
        {
            Role.LOADER: "StatefulDataLoader",
        },
    ),
    Package(
        "transformers",
        "transformers 5.24.0, and 4.46.3 for AdamW, which has gone since",
        {
            Role.OPTIMIZER: "Adafactor AdamW",
        },
    ),
    Package(
        "ultralytics",
        "ultralytics 8.4.190",
        {
            Role.OPTIMIZER: "MuSGD",
            Role.LOADER: "InfiniteDataLoader",
        },
    ),
)
"""Classes that only wrap another optimizer, or need a closure or steps of their own, are left out."""

BY_NAME: dict[str, list[tuple[str, Role]]] = {}
for _package in (*TORCH, *COMPANIONS):
    for _role, _names in _package.classes.items():
        for _name in _names.split():
            BY_NAME.setdefault(_name, []).append((f"{_package.name}.", _role))


def role_of(name: str) -> Role | None:
    """Return the role of a class by its full name, `torch.optim.SGD` or `timm.optim.lamb.Lamb`; None for others."""
    rows = BY_NAME.get(name.rpartition(".")[2], ())
    return next((role for package, role in rows if name.startswith(package)), None)


def names_a(names: Iterable[str], role: Role) -> bool:
    """Tell whether any of some full names is that of a class of a role."""
    return any(role_of(name) is role for name in names)
