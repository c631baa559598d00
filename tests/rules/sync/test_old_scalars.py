"""Scalars that a training loop passes before the tensors, as overloads took them until PyTorch 1.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "item-in-training-loop"
CODE = """\
import torch
from torch import nn
def train(model, loader, optimizer, device):
    total, decay = torch.zeros(2, device=device), 0.9
    for i, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        out = model(x)
        optimizer.zero_grad()
        nn.functional.cross_entropy(out, y).backward()
        optimizer.step()
        mean, share = out.detach().mean(0), out.detach().norm()
        {inside}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
train(model, [(torch.rand(2, 4), torch.tensor([0, 1]))], torch.optim.SGD(model.parameters(), 0.1), device)
"""


@pytest.mark.parametrize(
    "inside",
    [
        "total.add_(share, mean)",
        "total.addcmul_(share, mean, mean)",
        "total = torch.add(total, share, mean)",
        "total.sub_(-share, mean)",
    ],
)
def test_a_tensor_in_the_place_of_a_scalar_is_read(program: Program, inside: str) -> None:
    assert program(CODE.format(inside=inside)).reported(RULE) == [inside]


@pytest.mark.parametrize(
    "inside",
    [
        "total.add_(decay, mean)",
        "total.add_(mean)",
        "total.add_(mean, alpha=decay)",
        "total.addcmul_(mean, mean)",
        "total.addcmul_(0.1, mean, mean)",
        "total = torch.add(total, mean)",
        "if i % 100 == 0: total.add_(share, mean)",
    ],
)
def test_a_number_and_tensors_that_are_added_are_not_read(program: Program, inside: str) -> None:
    assert program(CODE.format(inside=inside)).reported(RULE) == []
