"""Means that are blended from the old one and a loss: each holds on to the one before, and so to every graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

_TRAINED = """\
import torch
def train(model, optimizer, batches):
    mean, total = None, torch.zeros(())
    for i, (x, y) in enumerate(batches):
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {line}
    return mean, total
"""


@pytest.mark.parametrize(
    "value",
    [
        "0.9 * total + 0.1 * loss",
        "0.1 * loss + total * 0.9",
        "(total * i + loss) / (i + 1)",
        "total + 0.1 * (loss - total)",
        "total - 0.1 * (total - loss)",
        "total.mul(0.9).add(loss)",
        "total.lerp(loss, 0.1)",
        "loss if total is None else 0.9 * total + 0.1 * loss",
        "0.9 * total + 0.1 * loss if total is not None else loss",
    ],
)
def test_a_mean_of_the_old_one_and_a_loss_keeps_all_graphs(program: Program, value: str) -> None:
    assert program(_TRAINED.format(line=f"total = {value}")).reported("kept-graph") == [f"total = {value}"]


@pytest.mark.parametrize(
    "line",
    [
        "total = 0.9 * total + 0.1 * loss.detach()",
        "total = 0.9 * total + 0.1 * loss.item()",
        "total = 0.9 * total.detach() + 0.1 * loss",
        "mean = 0.9 * float(total) + 0.1 * loss",
        "mean = 0.9 * total + 0.1 * loss",
        "total = loss if i % 10 == 0 else 0.9 * total + 0.1 * loss",
        "total = 0.9 * total + 0.1 * loss; total = total.detach()",
        "total = 0.9 * total + 0.1 * loss; total.detach_()",
        "with torch.no_grad(): total = 0.9 * total + 0.1 * loss",
        "x = 0.9 * x + 0.1 * loss",
    ],
)
def test_a_mean_that_lets_go_of_the_old_one_or_of_the_graph_keeps_none(program: Program, line: str) -> None:
    assert program(_TRAINED.format(line=line)).reported("kept-graph") == []


_METHOD = """\
import torch
class Trainer:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer
        self.mean = torch.zeros(())
    def step(self, x):
        {start}
        loss = self.model(x).sum()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.mean = 0.9 * self.mean + 0.1 * loss
    def fit(self, batches):
        for x in batches:
            self.step(x)
"""


@pytest.mark.parametrize(
    ("start", "kept"), [("pass", ["self.mean = 0.9 * self.mean + 0.1 * loss"]), ("self.mean = 0", [])]
)
def test_a_mean_in_an_attribute_lives_from_step_to_step(program: Program, start: str, kept: list[str]) -> None:
    assert program(_METHOD.format(start=start)).reported("kept-graph") == kept
