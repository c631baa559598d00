"""Handles of hooks, which are kept without the graph of the tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

HOOKED = """\
import torch
from torch import nn
def train(loader, optimizer):
    net, kept = nn.Linear(4, 1), []
    for rows in loader:
        loss = net(rows).mean()
        kept.append({kept})
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        ("loss.register_hook(print)", []),
        ("loss.abs()", ["kept.append(loss.abs())"]),
    ],
)
def test_the_handle_of_a_hook_keeps_no_graph(program: Program, kept: str, found: list[str]) -> None:
    assert program(HOOKED.format(kept=kept)).reported("kept-graph") == found
