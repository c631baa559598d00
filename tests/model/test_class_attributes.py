"""Attributes of a class that code outside it sets: `Net.device = torch.device("cuda")`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Project: TypeAlias = Callable[[dict[str, str]], Checkout]
NET = """\
import torch
from torch import nn

class Net(nn.Module):
    {default}
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x)
"""
MAIN = """\
import torch
from net import Net

def main():
    {store}
    net = Net().to(Net.device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(10):
        loss = net(torch.randn(8, 4).to(Net.device)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())

main()
"""
SET = 'Net.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def _waits(project_of: Project, default: str, store: str) -> list[str]:
    checkout = project_of({"net.py": NET.format(default=default), "main.py": MAIN.format(store=store)})
    return checkout.reported("item-in-training-loop")


@pytest.mark.parametrize("default", ["", "device = None", 'device = "cpu"'])
def test_a_class_attribute_has_what_code_outside_the_class_stores_there(project_of: Project, default: str) -> None:
    assert _waits(project_of, default, SET) == ["print(loss.item())"]


@pytest.mark.parametrize("store", ["pass", 'Net.device = torch.device("cpu")', "Net.other = 'cuda'"])
def test_other_stores_move_nothing(project_of: Project, store: str) -> None:
    assert _waits(project_of, 'device = "cpu"', store) == []


def test_the_attribute_of_another_class_is_another_one(project_of: Project) -> None:
    assert _waits(project_of, 'device = "cpu"', 'Other = type("Other", (), {})\n    Other.device = "cuda"') == []
