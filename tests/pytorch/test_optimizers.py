"""How optimizers answer to the size of the gradients, asked of PyTorch."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from torchlint.pytorch.optimizers import FOLLOWS_SCALE, RESTARTED, STATE_BY
from torchlint.pytorch.symbols import OPTIM

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


def state_after_a_step(kind: Any, **arguments: object) -> dict[str, object]:
    weight = torch.ones(2, 2, requires_grad=True)
    optimizer = kind([weight], **arguments)
    weight.square().sum().backward()
    optimizer.step(lambda: weight.square().sum())
    return {name: value for name, value in optimizer.state[weight].items() if value is not None}


@pytest.mark.parametrize(("name", "argument"), STATE_BY.items())
def test_a_state_is_kept_by_an_argument_alone(name: str, argument: tuple[str, int]) -> None:
    kind = getattr(torch.optim, name.removeprefix(OPTIM))

    assert not state_after_a_step(kind, lr=0.1)
    assert state_after_a_step(kind, lr=0.1, **{argument[0]: 0.9})
    assert list(inspect.signature(kind).parameters)[argument[1]] == argument[0]


@pytest.mark.parametrize("name", "Adam AdamW Adamax NAdam RAdam Adagrad Adadelta RMSprop Rprop ASGD Adafactor".split())
def test_others_keep_one_always(name: str) -> None:
    assert f"{OPTIM}{name}" not in STATE_BY
    assert state_after_a_step(getattr(torch.optim, name))


@pytest.mark.parametrize("name", sorted(RESTARTED))
def test_what_is_restarted_is_there(name: str) -> None:
    assert issubclass(getattr(torch.optim, name.removeprefix(OPTIM)), torch.optim.Optimizer)
