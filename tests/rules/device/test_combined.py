"""What an operator makes of a tensor on the host and one that may be on a GPU is not on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
TRAIN = """\
import torch
from torch import nn
def add(table, x):
    return {result}
def train(device="cuda"):
    model = nn.Linear(4, 4).to(device)
    table = torch.linspace(0, 1, 4)
    x = torch.zeros(2, 4){moved}
    model(add(table, x))
"""


@pytest.mark.parametrize("result", ["table * x", "x + table", "-(table * x)", "(table * x) + 1", "(table < x) * 2.0"])
def test_what_raises_where_one_operand_is_on_a_gpu_is_no_tensor_on_the_host(program: Program, result: str) -> None:
    assert program(TRAIN.format(result=result, moved=".to(device)")).reported("unmoved-batch") == []


@pytest.mark.parametrize("result", ["table * x", "-(table * x)", "table * 2", "(table < x) * 2.0"])
def test_what_is_made_of_tensors_on_the_host_alone_stays_there(program: Program, result: str) -> None:
    assert program(TRAIN.format(result=result, moved="")).reported("unmoved-batch") == ["model(add(table, x))"]


def test_the_operation_that_raises_is_found_where_a_call_shows_the_device(program: Program) -> None:
    found = program(TRAIN.format(result="table * x", moved=".to(device)") + "train()\n")
    assert found.reported("unmoved-batch") == []
    assert found.reported("device-mismatch") == ["return table * x"]
