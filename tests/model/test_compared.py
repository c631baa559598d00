"""What a test compares whole is no batch, wherever the module is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "default-device-tensor"
PROGRAM = """\
import torch
from torch import nn

class Head(nn.Module):
    def forward(self, x, size):
        {code}
        return x + (torch.ones(3) / size).to(x).sum()
"""
NO_BATCH = {
    "unlike what is kept": "if self.size != size: self.size = size",
    "too large": "if size > 608: raise ValueError",
    "one of two tests": "if self.training and size == 416: x = x * 2",
    "not": "if not size == 416: x = x * 2",
    "in an expression": "x = x * 2 if size < 416 else x",
    "in a loop": "while size >= 32: break",
    "in an assertion": "assert size == self.size",
}
MAY_BE_ONE = {
    "nothing": "pass",
    "whether there is one": "if size != None: x = x * 2",
    "its length": "if len(size) > 2: x = x * 2",
    "its shape": "if size.shape != x.shape: x = x * 2",
    "an item": "if size[0] > 2: x = x * 2",
    "where it is larger": "x = torch.where(size > 2, x, 0)",
    "whether it is larger anywhere": "if (size > 2).any(): x = x * 2",
    "what is counted of it": "count = size.shape[0]\n        if count > 2: x = x * 2",
}


@pytest.mark.parametrize("code", NO_BATCH.values(), ids=NO_BATCH)
def test_what_a_test_compares_whole_is_no_batch(program: Program, code: str) -> None:
    assert program(PROGRAM.format(code=code)).findings(RULE) == []


@pytest.mark.parametrize("code", MAY_BE_ONE.values(), ids=MAY_BE_ONE)
def test_anything_else_that_forward_is_given_is_where_the_module_is(program: Program, code: str) -> None:
    assert len(program(PROGRAM.format(code=code)).findings(RULE)) == 1
