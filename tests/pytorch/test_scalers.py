"""What the methods of a gradient scaler do, asked of PyTorch on the simulated GPU."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from torchlint.pytorch.scalers import (
    ASIDE,
    CONVERTING,
    ITERATION,
    LEAVING_SCALED,
    NOT_UNSCALED,
    PLAIN,
    READING,
    REFUSED,
    UNSCALING,
)

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")


@pytest.mark.parametrize("name", sorted({*ASIDE, *ITERATION, *LEAVING_SCALED, *READING}))
def test_a_method_leaves_what_it_is_said_to_leave(name: str) -> None:
    from torchlint.verify.sim import simulated_cuda

    with simulated_cuda() as simulation:
        weight = torch.ones(2, device="cuda", requires_grad=True)
        optimizer, scaler = torch.optim.SGD([weight]), torch.amp.GradScaler("cuda", init_scale=4.0)
        scaler.scale(weight.sum()).backward()
        saved = scaler.state_dict()
        if name == "update":
            scaler.step(optimizer)
        calls: dict[str, Callable[[], object]] = {
            "load_state_dict": lambda: scaler.load_state_dict(saved),
            "scale": lambda: scaler.scale(weight.sum()),
            "step": lambda: scaler.step(optimizer),
            "unscale_": lambda: scaler.unscale_(optimizer),
        }
        stage, gradient, waits = _stage(scaler, optimizer), weight.grad.clone(), simulation.log.total
        calls.get(name, getattr(scaler, name))()

        assert simulation.log.total > waits or name not in READING
        assert name not in ASIDE or _stage(scaler, optimizer) == stage
        assert name not in LEAVING_SCALED or weight.grad.tolist() == gradient.tolist()


def _stage(scaler: Any, optimizer: Any) -> object:
    return scaler._per_optimizer_states[id(optimizer)]["stage"]


@pytest.mark.parametrize("calls", sorted(REFUSED), ids="-".join)
def test_a_second_call_without_an_update_is_refused(calls: tuple[str, str]) -> None:
    weight = torch.ones(2, requires_grad=True)
    optimizer, scaler = torch.optim.SGD([weight]), torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    first, second = calls
    getattr(scaler, first)(optimizer)

    with pytest.raises(RuntimeError, match=r"already been called|is being called after"):
        getattr(scaler, second)(optimizer)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("method", sorted(UNSCALING))
def test_gradients_of_some_dtypes_are_not_unscaled(method: str, dtype: str) -> None:
    weight = torch.ones(2, dtype=getattr(torch, dtype), requires_grad=True)
    optimizer, scaler = torch.optim.SGD([weight]), torch.amp.GradScaler("cpu", init_scale=4.0)
    scaler.scale(weight.sum()).backward()

    if dtype in NOT_UNSCALED:
        with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
            getattr(scaler, method)(optimizer)
    else:
        getattr(scaler, method)(optimizer)


@pytest.mark.parametrize("name", sorted(PLAIN))
def test_a_scaler_unscales_no_half_gradients_by_itself(name: str) -> None:
    scaler: Any = torch
    for part in name.split(".")[1:]:
        scaler = getattr(scaler, part)
    sharded = import_module("torch.distributed.fsdp.sharded_grad_scaler").ShardedGradScaler
    assert issubclass(scaler, torch.amp.GradScaler)
    assert not issubclass(scaler, sharded)


@pytest.mark.parametrize("method", sorted(CONVERTING))
def test_a_method_converts_the_parameters_in_place(method: str) -> None:
    module = torch.nn.Linear(2, 2)
    weight = module.weight

    getattr(module, method)(*(() if method == "half" else (torch.float16,)))

    assert module.weight is weight
    assert weight.dtype is torch.float16
