"""The roles that PyTorch's classes are said to play, against the classes themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module

import pytest

from torchlint.pytorch.classes import TORCH, role_of
from torchlint.pytorch.roles import Role

torch = pytest.importorskip("torch", reason="the roles are those of PyTorch's classes")

_ROWS = [
    (package.name, name, role) for package in TORCH for role, names in package.classes.items() for name in names.split()
]
_BASES = {
    Role.OPTIMIZER: torch.optim.Optimizer,
    Role.SCHEDULER: torch.optim.lr_scheduler.LRScheduler,
    Role.METRIC_SCHEDULER: torch.optim.lr_scheduler.ReduceLROnPlateau,
    Role.LOADER: torch.utils.data.DataLoader,
    Role.SCALER: torch.amp.GradScaler,
}
_MODULES = ("torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.distributed.optim",
            "torch.utils.data", "torch.amp", "torch.cuda.amp", "torch.cpu.amp",
            "torch.distributed.fsdp.sharded_grad_scaler")  # fmt: skip


def _classes() -> Iterator[tuple[str, type]]:
    """Yield the public classes of the modules in which there are roles, by their full names."""
    for module in map(import_module, _MODULES):
        for name, kind in inspect.getmembers(module, inspect.isclass):
            if not name.startswith("_") or name == "_LRScheduler":
                yield f"{module.__name__}.{name}", kind


@pytest.mark.parametrize(("package", "name", "role"), _ROWS)
def test_every_row_is_a_class_that_plays_its_role(package: str, name: str, role: Role) -> None:
    kinds = [kind for full, kind in _classes() if full.startswith(f"{package}.") and full.endswith(f".{name}")]

    assert kinds
    assert all(issubclass(kind, _BASES[role]) for kind in kinds)


def test_every_class_that_plays_a_role_has_a_row() -> None:
    plays = {full: {role for role, base in _BASES.items() if issubclass(kind, base)} for full, kind in _classes()}

    # A scheduler with a metric is a scheduler, too.
    assert [full for full, roles in plays.items() if roles and role_of(full) not in roles] == []
    assert [full for full, roles in plays.items() if not roles and role_of(full) is not None] == []


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("torch.optim.adamw.AdamW", Role.OPTIMIZER),
        ("torch.optim.lr_scheduler.ReduceLROnPlateau", Role.METRIC_SCHEDULER),
        ("torch.optim.swa_utils.AveragedModel", None),
        ("timm.optim.lamb.Lamb", Role.OPTIMIZER),
        ("transformers.WarmupLinearSchedule", Role.SCHEDULER),
        ("pytorch_transformers.optimization.WarmupCosineSchedule", Role.SCHEDULER),
        ("mine.optim.AdamW", None),
        ("AdamW", None),
    ],
)
def test_a_class_is_known_wherever_in_its_package_it_is_imported_from(name: str, role: Role | None) -> None:
    assert role_of(name) is role
