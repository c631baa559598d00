"""What the methods of a gradient scaler do, asked of PyTorch on the simulated GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from torchlint.pytorch.scalers import ASIDE, ITERATION, LEAVING_SCALED, READING, REFUSED

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
