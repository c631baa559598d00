"""Modules without parameters and buffers, which may be moved anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.model.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import torch
from torch import nn
from elsewhere import build

class Loss(nn.Module):
    def __init__(self, bound, inner=None):
        super().__init__()
        self.bound = -torch.log(torch.tensor(0.7))
        self.inner = nn.CrossEntropyLoss(reduction="none")
        {store}

    def forward(self, x, y):
        return self.inner(x, y).mean()

class Spread(nn.DataParallel):
    def spare(self):
        return self.device_ids[1:]

class Learned(nn.DataParallel):
    def __init__(self, module):
        super().__init__(module)
        self.scale = nn.Parameter(torch.ones(1))
"""
MOVED = "Loss(0.5).cuda()"


@pytest.mark.parametrize(
    "code",
    [
        "nn.CrossEntropyLoss().cuda()",
        "nn.MSELoss(reduction='sum').to('cuda')",
        "nn.ReLU(True).cuda()",
        MOVED,
        "(nn.ReLU() if test else build()).cuda()",
        "nn.DataParallel(nn.ReLU()).cuda()",
        "nn.DataParallel(Loss(0.5)).to('cuda')",
        "torch.compile(module=nn.ReLU()).cuda()",
        "Spread(Loss(0.5)).cuda()",
    ],
)
def test_what_has_nothing_to_move_runs_without_cuda(program: Program, code: str) -> None:
    assert program(HEAD.format(store="self.count = 0") + code).reported("hardcoded-cuda") == []


@pytest.mark.parametrize(
    "code",
    [
        "nn.Linear(2, 2).cuda()",
        "nn.CrossEntropyLoss(weight=torch.ones(3)).cuda()",
        "nn.CrossEntropyLoss(torch.ones(3)).cuda()",
        "nn.BCEWithLogitsLoss(pos_weight=torch.ones(3)).to('cuda')",
        "nn.PReLU().cuda()",
        "(nn.ReLU() if test else nn.Linear(2, 2)).cuda()",
        "build().cuda()",
        "nn.DataParallel(nn.Linear(2, 2)).cuda()",
        "nn.DataParallel(build()).cuda()",
        "Spread(nn.Linear(2, 2)).cuda()",
        "Learned(nn.ReLU()).cuda()",
    ],
)
def test_what_may_have_something_to_move_asks_for_cuda(program: Program, code: str) -> None:
    assert program(HEAD.format(store="") + code).reported("hardcoded-cuda") == [code]


@pytest.mark.parametrize(
    "store",
    [
        "self.scale = nn.Parameter(torch.ones(1))",
        "self.register_buffer('scale', torch.ones(1))",
        "self.head = nn.Linear(2, 2)",
        "self.head = build()",
        "self.add_module('head', nn.Linear(2, 2))",
    ],
)
def test_a_class_that_may_register_something_asks_for_cuda(program: Program, store: str) -> None:
    assert program(HEAD.format(store=store) + MOVED).reported("hardcoded-cuda") == [MOVED]
