"""What a dict holds that a function fills key by key and returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_TRAINING = """\
import torch
from torch import nn

class Losses(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        y = self.model(x)
        {fill}
        out["loss"] = y.square()
        return out

losses = Losses(nn.Linear(4, 1)).cuda()
optimizer = torch.optim.SGD(losses.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader([]):
    out = losses(x.cuda())
    out["loss"].mean().backward()
    optimizer.step()
    print("reward {:.3f}".format(out["reward"]))
"""
_TENSORS = {
    "put in": 'out = {}; out["reward"] = y.detach().mean()',
    "put in beside others": 'out = {"count": 1}; out["reward"] = y.detach().mean()',
}
_OTHERS = {
    "a number": 'out = {}; out["reward"] = len(y)',
    "under another key": 'out = {}; out["penalty"] = y.detach().mean()',
    "into another dict": 'out, more = {}, {}; more["reward"] = y.detach().mean()',
    "on the host": 'out = {}; out["reward"] = torch.zeros(())',
}


@pytest.mark.parametrize("fill", _TENSORS.values(), ids=_TENSORS)
def test_what_a_callee_puts_under_a_key_is_there(program: Program, fill: str) -> None:
    assert len(program(_TRAINING.replace("{fill}", fill)).findings("tensor-print-in-training-loop")) == 1


@pytest.mark.parametrize("fill", _OTHERS.values(), ids=_OTHERS)
def test_what_it_puts_elsewhere_is_not(program: Program, fill: str) -> None:
    assert program(_TRAINING.replace("{fill}", fill)).findings("tensor-print-in-training-loop") == []


def test_what_is_put_under_keys_that_nobody_says_may_be_there_too(program: Program) -> None:
    checkout = program("""\
        def made(names):
            out = {}
            out["rate"] = 7
            for name in names:
                out[name] = read(name)
            return out
        rate = made(["rate"])["rate"]
        print(rate)
        """)

    assert checkout.literals("rate") == ["Unknown", 7]
