"""Tensors from einops are where what they are made of is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import WITH_CUDA
from torchlint.model.values.value_sets import Array, Device, Number, Tensor, Unknown, Value

Program: TypeAlias = Callable[[str], Checkout]

IMPORTS = """\
import numpy as np
import torch
from torch import nn
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
"""
ON_CUDA = Tensor(Device("cuda"), False)
CALLS = {
    "rearrange": ("rearrange(x, 'b c -> c b')", ON_CUDA),
    "reduce": ("reduce(x, 'b c -> c', 'mean')", ON_CUDA),
    "repeat": ("repeat(x, 'b -> b r', r=2)", ON_CUDA),
    "a list": ("rearrange([x, x], 'n b c -> b n c')", ON_CUDA),
    "by name": ("rearrange(tensor=x, pattern='b c -> c b')", ON_CUDA),
    "a product": ("einsum(x, x, 'b c, b d -> c d')", ON_CUDA),
    "packed": ("pack([x, x], '* c')[0]", ON_CUDA),
    "its shapes": ("pack([x, x], '* c')[1]", Number()),
    "unpacked": ("unpack(x, shapes, '* c')[0]", ON_CUDA),
    "a layer": ("Rearrange('b c -> c b')(x)", ON_CUDA),
    "a layer that reduces": ("Reduce('b c -> c', 'max')(x)", ON_CUDA),
    "in a row": ("rearrange(reduce(x, 'b c -> c', 'sum'), 'c -> c 1')", ON_CUDA),
    "what is on the host": ("rearrange(torch.ones(2), 'b -> b 1')", Tensor(Device("cpu"), False)),
    "an ndarray": ("rearrange(np.ones(2), 'b -> b 1')", Array()),
    "anything": ("rearrange(anything, 'b c -> c b')", Unknown()),
    "a product of anything": ("einsum(anything, anything, 'b c, b d -> c d')", Unknown()),
}


@pytest.mark.parametrize(("call", "expected"), CALLS.values(), ids=CALLS)
def test_what_einops_returns(program: Program, call: str, expected: Value) -> None:
    code = f"{IMPORTS}def step(anything):\n    x = torch.ones(2, 3, device='cuda')\n    use({call})\n"

    assert program(code).values(call, world=WITH_CUDA) == [expected]


TRAINING = """
def train(net, data, optimizer):
    for x, y in data:
        {line}
        loss = (net(x.cuda()) - y.cuda()).square().mean()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("line", "is_reported"),
    [
        ("print(rearrange(x.cuda(), 'b c -> c b'))", True),
        ("print(rearrange(x.cuda(), 'b c -> c b').shape)", False),
        ("print(rearrange(x.numpy(), 'b c -> c b'))", False),
    ],
)
def test_what_einops_makes_of_a_tensor_on_the_device_is_waited_for(
    program: Program, line: str, is_reported: bool
) -> None:
    project = program(IMPORTS + TRAINING.format(line=line))

    assert project.reported("tensor-print-in-training-loop") == ([line] if is_reported else [])


@pytest.mark.parametrize(("layer", "is_reported"), [("Rearrange('b c -> c b')", False), ("EinMix('b c -> c b')", True)])
def test_a_layer_without_parameters_asks_for_no_device(program: Program, layer: str, is_reported: bool) -> None:
    line = f"net = {layer}.cuda()"

    assert program(f"{IMPORTS}{line}\n").reported("hardcoded-cuda") == ([line] if is_reported else [])


def test_a_layer_in_a_list_is_registered_nowhere(program: Program) -> None:
    code = f"""{IMPORTS}
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mixing = [EinMix('b c -> b d')]
        self.shapes = [Rearrange('b c -> c b')]

    def forward(self, x):
        return self.shapes[0](self.mixing[0](x))
"""

    assert program(code).reported("unregistered-module") == ["self.mixing = [EinMix('b c -> b d')]"]
