"""How optimizers answer to the size of the gradients, asked of PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from torchlint.pytorch.optimizers import FOLLOWS_SCALE

torch: Any = pytest.importorskip("torch", reason="the optimizers are PyTorch's")


def stepped(name: str, scale: float) -> float:
    """Return how far the first step goes with a gradient of some size."""
    parameter = torch.nn.Parameter(torch.zeros(2, 2))
    optimizer = getattr(torch.optim, name.rpartition(".")[2])([parameter], lr=0.1)
    (parameter.sum() * scale).backward()
    optimizer.step()
    return float(parameter.detach().abs().max())


@pytest.mark.parametrize("name", sorted(FOLLOWS_SCALE))
def test_the_step_is_as_long_as_the_gradients_are_large(name: str) -> None:
    assert stepped(name, 4.0) == pytest.approx(4 * stepped(name, 1.0), rel=1e-3)


@pytest.mark.parametrize("name", ["Adam", "AdamW", "RMSprop", "Adagrad", "NAdam", "Adamax", "Adadelta", "Rprop"])
def test_others_divide_that_out(name: str) -> None:
    assert stepped(name, 4.0) == pytest.approx(stepped(name, 1.0), rel=1e-3)
