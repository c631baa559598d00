"""Inputs that a call unpacks from a dict or a sequence: `net(**inputs)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "unmoved-batch"
PROGRAM = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(8, 4)

    def forward(self, ids, mask):
        return self.embedding(ids) * mask

def tokenize(text):
    return {{"ids": torch.arange(len(text)), "mask": torch.ones(len(text), 4)}}

net = Net().cuda()
{body}
"""


@pytest.mark.parametrize(
    "body",
    [
        'inputs = tokenize("ab")\nnet(**inputs)',
        'net(**tokenize("ab"))',
        "inputs = torch.arange(2), torch.ones(2, 4)\nnet(*inputs)",
        "inputs = [torch.arange(2), torch.ones(2, 4)]\nnet(*inputs)",
        "inputs = dict(ids=torch.arange(2))\nnet(mask=torch.ones(2, 4).cuda(), **inputs)",
        'inputs = tokenize("ab")\ninputs["mask"] = inputs["mask"].cuda()\nnet(**inputs)',
    ],
)
def test_what_is_unpacked_is_where_it_was_made(program: Program, body: str) -> None:
    assert program(PROGRAM.format(body=body)).reported(RULE) == [body.splitlines()[-1]]


@pytest.mark.parametrize(
    "body",
    [
        'inputs = {key: value.cuda() for key, value in tokenize("ab").items()}\nnet(**inputs)',
        'inputs = tokenize("ab")\nfor key, value in inputs.items():\n    inputs[key] = value.cuda()\nnet(**inputs)',
        'inputs = tokenize("ab")\ninputs.update(ids=inputs["ids"].cuda(), mask=inputs["mask"].cuda())\nnet(**inputs)',
        "inputs = [torch.arange(2), torch.ones(2, 4)]\ninputs[0] = inputs[0].cuda()\ninputs[1] = inputs[1].cuda()\nnet(*inputs)",
        "inputs = [one.cuda() for one in (torch.arange(2), torch.ones(2, 4))]\nnet(*inputs)",
        'def place(batch):\n    batch["ids"] = batch["ids"].cuda()\n    batch["mask"] = batch["mask"].cuda()\n'
        'inputs = tokenize("ab")\nplace(inputs)\nnet(**inputs)',
        "net.cpu()\nnet(**tokenize('ab'))",
    ],
)
def test_what_was_replaced_before_is_unpacked_as_that(program: Program, body: str) -> None:
    assert program(PROGRAM.format(body=body)).reported(RULE) == []
