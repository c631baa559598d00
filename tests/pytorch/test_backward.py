"""What is around the backward pass, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.backward import BACKWARD, DIFFERENTIATING, ON_THE_WAY, RETAINING, TRAINING_STEP

torch: Any = pytest.importorskip("torch", reason="it is torch that says so")


def test_a_step_is_a_backward_pass_and_the_step_of_an_optimizer() -> None:
    going_back, stepping = TRAINING_STEP
    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1.0)

    getattr(weight.sum(), going_back)()
    getattr(optimizer, stepping)()

    assert weight.tolist() == [0.0, 0.0]


def test_what_differentiates_is_of_torch_and_of_scalers() -> None:
    weight = torch.ones(2, requires_grad=True)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0)

    assert torch.autograd.grad(weight.sum(), weight)[0].tolist() == [1.0, 1.0]
    assert float(scaler.scale(weight.sum())) == 4.0
    assert {"scale", "grad", *BACKWARD} == DIFFERENTIATING


@pytest.mark.parametrize("name", sorted(ON_THE_WAY))
def test_a_loss_stays_one_on_its_way(name: str) -> None:
    loss = torch.ones(2, requires_grad=True).sum()
    owner, given = (torch.amp.GradScaler("cpu"), (loss,)) if name == "scale" else (loss, ())
    found = getattr(owner, name)(*((torch.float64,) if name == "to" else given))
    found.backward()

    assert found.dim() == 0


def test_a_result_keeps_its_gradient_only_if_it_is_told_to() -> None:
    method, attribute = RETAINING
    result = torch.ones(2, requires_grad=True) * 2
    assert not getattr(result, attribute)

    getattr(result, method)()
    result.sum().backward()

    assert getattr(result, attribute)
    assert result.grad is not None
