"""Tensors that a training loop passes to lists and ndarrays as indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "item-in-training-loop"
CODE = """\
import numpy as np
import torch
from torch import nn
from elsewhere import anything
NAMES, TABLE, UNKNOWN = ["cat", "dog"], {{}}, anything()
class Counter:
    def __init__(self): self.counts = [0 for _ in range(9)]
def train(model, loader, optimizer, device):
    counter, confusion, weights = Counter(), np.zeros((2, 2)), torch.ones(2, device=device)
    order, host = torch.randperm(9), torch.arange(9)
    for i, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        out = model(x)
        guess = out.argmax(1)
        optimizer.zero_grad()
        nn.functional.cross_entropy(out, y).backward()
        optimizer.step()
        {inside}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
train(model, [(torch.rand(2, 4), torch.tensor([0, 1]))], torch.optim.SGD(model.parameters(), 0.1), device)
"""


@pytest.mark.parametrize(
    "inside",
    [
        "name = NAMES[guess[0]]",
        "for j in range(len(y)): counter.counts[y[j]] += 1",
        "for j in range(2): confusion[y[j], 0] += 1",
        "confusion[0, guess[0]] = 1",
        "confusion[guess[0]] = 1",
        # Computed from one.
        "name = NAMES[guess[0] - 1]",
        "name = [1.0, 2.0][1 - guess[0]]",
        "name = NAMES[-guess[0]]",
        "confusion[0, (guess[0] + 1) % 2] = 1",
    ],
)
def test_an_index_of_a_list_or_ndarray_is_read(program: Program, inside: str) -> None:
    assert program(CODE.format(inside=inside)).reported(RULE) == [inside]


@pytest.mark.parametrize(
    "inside",
    [
        # A vector of indices stays on the GPU, and a dict looks up the tensor itself.
        "chosen = weights[guess]",
        "TABLE[guess[0]] = 1",
        "UNKNOWN[guess[0]] = 1",
        # Numbers, and tensors on the host.
        "name = NAMES[i % 2]",
        "name = NAMES[len(guess) - 1]",
        "counter.counts[order[i]] += 1",
        "counter.counts[host[0]] += 1",
        "name = NAMES[guess.shape[0] - 1]",
        "name = NAMES[0]",
        "name = NAMES[(i + 1) % 2]",
        "counter.counts[host[0] + 1] += 1",
        "chosen = weights[guess - 1]",
        "TABLE[guess[0] + 1] = 1",
        "names = NAMES[:1]",
        # Every N steps.
        "if i % 100 == 0: name = NAMES[guess[0]]",
    ],
)
def test_an_index_that_needs_no_read_is_not_reported(program: Program, inside: str) -> None:
    assert program(CODE.format(inside=inside)).reported(RULE) == []
