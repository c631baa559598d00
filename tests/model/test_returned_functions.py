"""Functions that others make and return: they are called by other names, or where they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "item-in-training-loop"
PROGRAM = """\
import torch
from torch import nn

net = nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.1)

def make_step(scale):
    def run(x):
        loss = net(x).sum() * scale
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()
    return run

def make_pair():
    def show(x):
        return net(x).sum().item()
    return make_step(2), show

class Trainer:
    def __init__(self):
        self.step = make_step(3)

    def fit(self, batches):
        {method}

{body}
"""
PASS = "pass"


@pytest.mark.parametrize(
    ("method", "body"),
    [
        (PASS, "step = make_step(1)\nfor x in batches:\n    step(x.cuda())"),
        (PASS, "for x in batches:\n    make_step(1)(x.cuda())"),
        (PASS, "for x in batches:\n    step = make_step(1)\n    step(x.cuda())"),
        (PASS, "def main(batches):\n    step = make_step(scale=1)\n    for x in batches:\n        step(x.cuda())"),
        ("for x in batches: self.step(x.cuda())", "Trainer().fit(batches)"),
    ],
)
def test_it_runs_where_what_was_made_is_called(program: Program, method: str, body: str) -> None:
    assert program(PROGRAM.format(method=method, body=body)).reported(RULE) == ["return loss.item()"]


def test_it_does_not_run_where_it_is_only_made(program: Program) -> None:
    body = "step = make_step(1)\nstep(batches[0].cuda())\nfor x in batches:\n    print(x)"

    assert program(PROGRAM.format(method=PASS, body=body)).reported(RULE) == []
