"""Functions that fill modules and optimizers with state dicts."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.classes import TORCH
from torchlint.pytorch.roles import Role
from torchlint.pytorch.state_dicts import FILLING_STATE, TENSORLESS_STATE

state_dict = pytest.importorskip("torch.distributed.checkpoint.state_dict", reason="these are functions of PyTorch")


def test_every_function_that_sets_a_state_dict_is_known() -> None:
    setting = {name for name in dir(state_dict) if name.startswith("set_") and name.endswith("_state_dict")}

    assert setting == {name for name in FILLING_STATE if hasattr(state_dict, name)}


def test_a_function_of_another_package_is_none_of_pytorch() -> None:
    assert {name for name in FILLING_STATE if not hasattr(state_dict, name)} == {"set_peft_model_state_dict"}


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "CosineAnnealingLR": (4,),
    "CosineAnnealingWarmRestarts": (4,),
    "CyclicLR": (0.1, 0.2),
    "ExponentialLR": (0.9,),
    "LambdaLR": (lambda epoch: 0.9**epoch,),
    "MultiStepLR": ([2, 4],),
    "MultiplicativeLR": (lambda _: 0.9,),
    "OneCycleLR": (0.1, 9),
    "SWALR": (0.1,),
    "StepLR": (2,),
}


def _is_tensorless(state: object) -> bool:
    parts = state.values() if isinstance(state, dict) else state if isinstance(state, (list, tuple)) else ()
    return type(state).__module__ != "torch" and all(map(_is_tensorless, parts))


def _schedulers() -> list[str]:
    classes = next(row.classes for row in TORCH if row.name == "torch.optim")
    names = f"{classes[Role.SCHEDULER]} {classes[Role.METRIC_SCHEDULER]}".split()
    bases = {"ChainedScheduler", "LRScheduler", "SequentialLR", "_LRScheduler"}  # these are made of others
    return [name for name in names if name not in bases]


@pytest.mark.parametrize("name", _schedulers())
def test_the_state_dict_of_a_scheduler_holds_no_tensor(name: str) -> None:
    torch = pytest.importorskip("torch")
    parameter = torch.zeros(2, requires_grad=True)
    parameter.grad = torch.ones(2)
    optimizer = torch.optim.SGD([parameter], lr=0.1, momentum=0.9)
    home = torch.optim.swa_utils if name == "SWALR" else torch.optim.lr_scheduler
    scheduler = getattr(home, name)(optimizer, *ARGUMENTS.get(name, ()))

    optimizer.step()
    scheduler.step(*([torch.ones(())] if name == "ReduceLROnPlateau" else []))

    assert {Role.SCHEDULER, Role.METRIC_SCHEDULER} <= TENSORLESS_STATE
    assert _is_tensorless(scheduler.state_dict())
    assert not _is_tensorless(optimizer.state_dict())


def test_the_state_dict_of_a_scaler_holds_no_tensor() -> None:
    torch = pytest.importorskip("torch")
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(torch.ones(()))

    assert Role.SCALER in TENSORLESS_STATE
    assert _is_tensorless(scaler.state_dict())
