"""Functions that train by an argument, and evaluate by another, with a graph that nothing uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]

TRAINER = """\
import torch
from torch import nn

class Trainer:
    def __init__(self, loaders):
        self.net = nn.Linear(3, 2)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.loaders = loaders
        self.kept = []

    def losses(self, x, y):
        {inside}
        return nn.functional.cross_entropy(out, y), out

    def iterate(self, phase):
        total = 0
        for x, y in self.loaders[phase]:
            self.optimizer.zero_grad()
            {call}
            if phase == "train":
                loss.backward()
                self.optimizer.step()
            total += loss.item()
        {after}
        return total

    def fit(self):
        self.iterate("train")
        {evaluated}

Trainer({{}}).fit()
"""
INSIDE, CALL, AFTER = "out = self.net(x)", "loss, out = self.losses(x, y)", "print(total)"
EVALUATED = 'self.iterate("val")'
FOUND = [CALL]


@pytest.mark.parametrize(
    ("inside", "call", "after", "evaluated", "expected"),
    [
        (INSIDE, CALL, AFTER, EVALUATED, FOUND),
        (INSIDE, "loss = self.losses(x, y)[0]", AFTER, EVALUATED, ["loss = self.losses(x, y)[0]"]),
        (INSIDE, CALL, AFTER, 'self.iterate("train")', []),
        (INSIDE, CALL, AFTER, "with torch.no_grad():\n            self.iterate('val')", []),
        (INSIDE, "with torch.set_grad_enabled(phase == 'train'):\n                " + CALL, AFTER, EVALUATED, []),
        ("with torch.no_grad():\n            out = self.net(x)", CALL, AFTER, EVALUATED, []),
        (INSIDE + "\n        self.kept.append(out)", CALL, AFTER, EVALUATED, FOUND),
        (INSIDE + "\n        self.out = out", CALL, AFTER, EVALUATED, []),
        (INSIDE + "\n        torch.autograd.grad(out.sum(), [self.net.weight])", CALL, AFTER, EVALUATED, []),
        ("out = x", CALL, AFTER, EVALUATED, []),
    ],
)
def test_a_function_that_it_calls_runs_the_module(
    program: Program, inside: str, call: str, after: str, evaluated: str, expected: list[str]
) -> None:
    code = TRAINER.format(inside=inside, call=call, after=after, evaluated=evaluated)

    assert program(code).reported("evaluation-without-no-grad") == expected
