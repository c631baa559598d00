"""Copies to a GPU of what was joined on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "unpinned-non-blocking"
CODE = """\
import torch
from torch.utils.data import DataLoader, TensorDataset
from elsewhere import anything
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.randn(8, 2), torch.randn(8, 2)), batch_size=4, pin_memory=True)
other = anything()
for a, b in loader:
    {inside}
"""


@pytest.mark.parametrize(
    "inside",
    [
        "x = torch.cat([a, b]).to(device, non_blocking=True)",
        "x = torch.stack((a, b)).cuda(non_blocking=True)",
        "x = torch.cat([a[:2], b[2:]]).to(device, non_blocking=True)",
    ],
)
def test_what_is_joined_from_parts_of_a_batch_is_pageable(program: Program, inside: str) -> None:
    assert program(CODE.format(inside=inside)).reported(RULE) == [inside]


@pytest.mark.parametrize(
    "inside",
    [
        "x = torch.cat([a, b]).to(device)",
        "x = torch.cat([a, b]).pin_memory().to(device, non_blocking=True)",
        "x = torch.cat([a.to(device), b.to(device)]).to(device, non_blocking=True)",
        "x = torch.cat([a, other]).to(device, non_blocking=True)",
        "x = torch.cat([other, other]).to(device, non_blocking=True)",
        "x = torch.cat([torch.ones(2), torch.ones(2)]).to(device, non_blocking=True)",
        "x = torch.cat([a, b], out=other).to(device, non_blocking=True)",
        "x = torch.cat([a, b]).to('cpu', non_blocking=True)",
        "x = a.to(device, non_blocking=True)",
    ],
)
def test_what_is_pinned_or_unknown_is_not_reported(program: Program, inside: str) -> None:
    assert program(CODE.format(inside=inside)).reported(RULE) == []
