"""Which bounds of `clamp` must be where the tensor is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HEAD = """\
import torch
from elsewhere import given
x = given().to("cuda")
one = torch.tensor(1.0)
many = torch.ones(3)
there = torch.tensor(1.0).cuda()
"""


@pytest.mark.parametrize(
    "call",
    [
        "torch.clamp(x, max=one)",
        "torch.clamp(x, one, None)",
        "torch.clip(x, min=there, max=one)",
        "x.clamp(one)",
        "x.clamp_(min=many)",
        "x.clamp_max(one.log())",
        "torch.clamp(one, max=there)",
    ],
)
def test_a_bound_on_the_host_meets_a_tensor_on_the_device(program: Program, call: str) -> None:
    assert program(f"{HEAD}y = {call}\n").reported("device-mismatch") == [f"y = {call}"]


@pytest.mark.parametrize(
    "call",
    [
        "torch.clamp(x, max=1.0)",
        "x.clamp(0, one)",
        "torch.clamp(x, min=-1.0, max=one)",
        "x.clamp(there)",
        "x.clamp(max=one.item())",
        "x.clamp(max=given())",
        "x.clamp(min=given(), max=one)",
        "many.clamp(max=one)",
        "given().clamp(max=one)",
        "given(x, max=one)",
        "torch.minimum(x, one)",
    ],
)
def test_numbers_and_bounds_that_nobody_knows_are_left_alone(program: Program, call: str) -> None:
    assert program(f"{HEAD}y = {call}\n").reported("device-mismatch") == []
