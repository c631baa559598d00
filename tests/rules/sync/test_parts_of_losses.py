"""Parts of a loss that are added up: each has a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
LOSSES = """\
import torch
from torch import nn
from torch.nn import functional as F

def train(model, loader, options):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total = 0
    for x, y in loader:
        first, second = model(x)
        part = {part}
        loss = {loss}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {after}
        total += part
    print(total)
"""
ADDED = {
    "a part": ("F.mse_loss(first, y)", "part + F.mse_loss(second, y)", "pass", True),
    "a part with a weight": ("F.mse_loss(first, y)", "0.5 * part + F.mse_loss(second, y)", "pass", True),
    "a part with an option": ("F.mse_loss(first, y)", "F.mse_loss(second, y) + part * options.weight", "pass", True),
    "a weight itself": ("F.mse_loss(x, y)", "part * F.mse_loss(second, y)", "pass", False),
    "what is beside it": ("F.mse_loss(x, y)", "F.mse_loss(second, y)", "pass", False),
    "a constant": ("torch.tensor(0.5)", "part + F.mse_loss(second, y)", "pass", False),
    "an unknown part": ("options.penalty(model)", "part + F.mse_loss(second, y)", "pass", False),
    "detached": ("F.mse_loss(first, y)", "part + F.mse_loss(second, y)", "part = part.detach()", False),
}


@pytest.mark.parametrize(("part", "loss", "after", "is_kept"), ADDED.values(), ids=ADDED)
def test_a_part_of_a_loss_has_a_graph(program: Program, part: str, loss: str, after: str, is_kept: bool) -> None:
    assert len(program(LOSSES.format(part=part, loss=loss, after=after)).reported("kept-graph")) == is_kept
