"""What is used as a size is no batch, wherever the module is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "numpy-of-device-tensor"
PROGRAM = """\
import numpy as np
import torch
from torch import nn

class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def padded(self, x, height, /, width=7, *, depth=1):
        size = int(np.ceil(height / 7)) * 7
        return self.filled(x, size, width)

    def filled(self, x, height, width):
        return torch.zeros(height, width, device=x.device)

    def shown(self, x, height):
        return self.shown(x, height)

    @staticmethod
    def fixed(height, width):
        return torch.zeros(3, width)

    def forward(self, x, size):
        {code}
        return x * np.sqrt(size)

Head().cuda()
"""
SIZE = {
    "of a view": "x = x.view(x.size(0), size, -1)",
    "of a view, as a tuple": "x = x.reshape((x.size(0), size, -1))",
    "halved": "x = x.view(-1, size // 2)",
    "how often": "x = x.repeat(1, size)",
    "of a loop": "for i in range(size): x = x * 2",
    "of what is made": "x = x + torch.zeros(2, size, device=x.device)",
    "of what is made, as a tuple": "x = x + torch.ones((2, size), device=x.device)",
    "of what is made like a tensor": "x = x + x.new_zeros(2, size)",
    "rounded": "x = x.view(-1, int(np.ceil(size / 7)) * 7)",
    "by another name": "half = size // 2\n        x = x.view(-1, half)",
    "handed on": "x = x + self.filled(x, 2, size)",
    "handed on by its name": "x = x + self.padded(x, 2, width=size)",
    "handed on, halved": "x = x + self.filled(x, size // 2, 7)",
    "handed on twice": "x = x + self.padded(x, size)",
    "of an array": "grid = np.zeros((size, 2))",
}
NO_SIZE = {
    "nothing": "pass",
    "what is reshaped": "x = x + size.view(2, -1)",
    "what is reshaped by a function": "x = x + torch.reshape(size, (2, -1))",
    "a part of a shape": "x = x.view(size.shape[0], -1)",
    "where it is filled in": "x = x + torch.full((2,), 3.0) * size",
    "handed on for something else": "x = x + self.filled(size, 2, 3)",
    "handed on in a circle": "x = x + self.shown(x, size)",
    "handed on where it is no size": "x = x + self.padded(x, 2, depth=size)",
    "handed on to no method of an object": "x = x + self.fixed(size, 2)",
    "by a name that is bound anew": "half = size // 2\n        half = 2\n        x = x.view(-1, half)",
    "bound anew": "x = x.view(2, size)\n        size = x.sum(0)",
}


@pytest.mark.parametrize("code", SIZE.values(), ids=SIZE)
def test_a_size_is_no_batch(program: Program, code: str) -> None:
    assert program(PROGRAM.format(code=code)).findings(RULE) == []


@pytest.mark.parametrize("code", NO_SIZE.values(), ids=NO_SIZE)
def test_anything_else_that_forward_is_given_is_where_the_module_is(program: Program, code: str) -> None:
    assert len(program(PROGRAM.format(code=code)).findings(RULE)) == 1
