"""What frozen modules return, of which nothing keeps a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

MOMENTUM = """\
import torch
from torch import nn
from torch.nn import functional as F

class Momentum(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(4, 4)
        self.key = nn.Linear(4, 4)
        self.bank = []
        {frozen}

    def forward(self, x, y):
        one = self.query(x)
        other = {other}
        other = F.normalize(other, dim=1)
        self.bank.append({kept})
        return (one * other).sum()

model = Momentum()
optimizer = torch.optim.SGD(model.query.parameters(), lr=0.1)
for x, y in torch.utils.data.DataLoader([]):
    optimizer.zero_grad()
    loss = model(x, y)
    loss.backward()
    optimizer.step()
"""
HELPER = """
def freeze(net):
    for weight in net.parameters():
        weight.requires_grad_(False)
"""
BY_A_LOOP = "for p in self.key.parameters(): p.requires_grad = False"
FREEZING = {
    "a loop": BY_A_LOOP,
    "a loop over names": "for _, p in self.key.named_parameters(): p.requires_grad_(False)",
    "the module": "self.key.requires_grad_(False)",
    "a function": "freeze(self.key)",
    "two at once": "for p, q in zip(self.query.parameters(), self.key.parameters()): q.requires_grad = False",
}


@pytest.mark.parametrize("frozen", FREEZING.values(), ids=FREEZING)
def test_what_a_frozen_module_returns_has_no_graph_to_keep(program: Program, frozen: str) -> None:
    code = MOMENTUM.format(frozen=frozen, other="self.key(y)", kept="other") + HELPER
    assert program(code).reported("kept-graph") == []


@pytest.mark.parametrize(
    ("frozen", "other", "kept"),
    [
        ("pass", "self.key(y)", "other"),
        (BY_A_LOOP, "self.key(y)", "one"),
        (BY_A_LOOP, "self.key(y)", "one * other"),
        (BY_A_LOOP, "self.key(self.query(y))", "other"),
        (BY_A_LOOP.replace("False", "True"), "self.key(y)", "other"),
        ("self.key.requires_grad_(False)", "self.query(y)", "other"),
        ("freeze(self.key)", "self.key(y)", "one"),
    ],
)
def test_what_any_trained_module_returns_keeps_its_graph(program: Program, frozen: str, other: str, kept: str) -> None:
    code = MOMENTUM.format(frozen=frozen, other=other, kept=kept) + (HELPER if "freeze(" in frozen else "")
    assert program(code).reported("kept-graph") == [f"self.bank.append({kept})"]
