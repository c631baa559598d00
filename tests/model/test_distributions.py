"""Samples are where the parameters of their distribution are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import HOST, Device, Tensor, Value

Program: TypeAlias = Callable[[str], Checkout]

_SAMPLED = """\
import torch
from torch import distributions as D
from torch.distributions.normal import Normal
from elsewhere import anything
{before}
gpu = torch.zeros(3, device="cuda")
mean = torch.zeros(3, requires_grad=True)
def drawn(scale=2.0):
    return {drawn}
print(drawn())
"""
GPU = Device("cuda")
SAMPLES: dict[str, tuple[str, Value | None]] = {
    "of numbers": ("Normal(0, 1).sample((3,))", Tensor(HOST, False)),
    "of numbers by name": ("D.Uniform(low=-1.0, high=scale).sample()", Tensor(HOST, False)),
    "of tensors on the host": ("Normal(mean, 1.0).sample()", Tensor(HOST, False)),
    "of tensors on the host, recorded": ("Normal(mean, 1.0).rsample()", Tensor(HOST, True)),
    "of tensors on the GPU": ("D.Categorical(logits=gpu).sample()", Tensor(GPU, False)),
    "of one on the GPU": ("Normal(gpu, torch.tensor(1.0)).sample()", Tensor(GPU, False)),
    "of another": ("D.Independent(Normal(gpu, 1.0), 1).sample()", Tensor(GPU, False)),
    "of anything": ("Normal(anything(), 1.0).sample()", Tensor(None, False)),
    "of anything more": ("Normal(0, 1, **anything()).sample()", Tensor(None, False)),
    "of another package": ("anything.Normal(0, 1).sample()", None),
    "of what is no parameter": ("Normal(0, 1).batch_shape()", None),
}


@pytest.mark.parametrize(("drawn", "expected"), SAMPLES.values(), ids=SAMPLES)
def test_a_sample_is_where_the_parameters_are(program: Program, drawn: str, expected: Value | None) -> None:
    values = program(_SAMPLED.format(drawn=drawn, before="")).values("drawn()")

    assert values == [expected] if expected is not None else not any(isinstance(one, Tensor) for one in values)


def test_of_numbers_it_may_be_on_the_default_device(program: Program) -> None:
    code = _SAMPLED.format(drawn="Normal(0, 1).sample()", before="torch.set_default_device('cuda')")

    assert program(code).values("drawn()") == [Tensor(None, False)]


_NOISE = """\
import torch
from torch import nn
from torch.distributions import Normal
class Policy(nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.out, self.limit = nn.Linear(4, 1), limit
    def explore(self, x):
        noise = self.limit * {noise}
        return noise.cpu()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Policy(2.0).to(device)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for x in torch.rand(3, 4).to(device):
    action = net.explore(x)
    net.out(x).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("noise", "reported"),
    [("Normal(0, 1).sample((1,))", []), ("Normal(self.out(x), 1).sample((1,))", ["return noise.cpu()"])],
)
def test_noise_made_of_numbers_is_on_the_host(program: Program, noise: str, reported: list[str]) -> None:
    assert program(_NOISE.format(noise=noise)).reported("host-copy-in-training-loop") == reported
