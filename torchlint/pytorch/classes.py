"""Which classes of PyTorch and its companions play which role in training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from torchlint.pytorch.companions import COMPANIONS
from torchlint.pytorch.roles import Role


class Package(NamedTuple):
    """The classes of a package of PyTorch for each role: their names, whichever of its modules they are in."""

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

BY_NAME: dict[str, list[tuple[str, Role]]] = {}
_ALL = [(row.name, row.classes) for row in TORCH] + [(row.name, row.classes) for row in COMPANIONS]
for _space, _classes in _ALL:
    for _role, _names in _classes.items():
        for _name in _names.split():
            BY_NAME.setdefault(_name, []).append((f"{_space}.", _role))


def role_of(name: str) -> Role | None:
    """Return the role of a class by its full name, `torch.optim.SGD` or `timm.optim.lamb.Lamb`; None for others."""
    rows = BY_NAME.get(name.rpartition(".")[2], ())
    return next((role for package, role in rows if name.startswith(package)), None)


def names_a(names: Iterable[str], role: Role) -> bool:
    """Tell whether any of some full names is that of a class of a role."""
    return any(role_of(name) is role for name in names)
