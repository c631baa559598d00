"""The calls of `backward()` in other functions that a step goes with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "missing-zero-grad"
AGENT = """\
import torch
from torch import nn
class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.net.parameters())
    def learn(self, x):
        loss = self.net(x).mean()
        {learn}
    def update(self):
        {update}
        self.optimizer.step()
    def clear(self):
        self.optimizer.zero_grad()
    def loss_of(self, x):
        return self.net(x).mean()
def main():
    agent = Agent()
    for x in torch.ones(10, 4):
        {loop}
main()
"""
BACKWARD = "loss.backward()"
CASES = {
    "both in methods of an agent": (BACKWARD, "pass", "agent.learn(x)\n        agent.update()", True),
    "one in the loop": ("return loss", "pass", "agent.loss_of(x).backward()\n        agent.update()", True),
    "in a method that the step's own calls": (BACKWARD, "self.learn(torch.ones(4))", "agent.update()", True),
    "zeroed in the loop": (BACKWARD, "pass", "agent.clear()\n        agent.learn(x)\n        agent.update()", False),
    "zeroed with the backward": (
        f"self.optimizer.zero_grad()\n        {BACKWARD}",
        "pass",
        "agent.learn(x)\n        agent.update()",
        False,
    ),
    "zeroed by the step's own callee": (
        BACKWARD,
        "self.clear()\n        self.learn(torch.ones(4))",
        "agent.update()",
        False,
    ),
    "without a backward": ("return loss", "pass", "agent.learn(x)\n        agent.update()", False),
    "of another agent each time": (BACKWARD, "pass", "agent = Agent()\n        agent.learn(x); agent.update()", False),
    "once": (BACKWARD, "pass", "agent.learn(x)\n    agent.update()", False),
}


@pytest.mark.parametrize(("learn", "update", "loop", "is_found"), CASES.values(), ids=CASES)
def test_gradients_of_another_function_accumulate(
    program: Program, learn: str, update: str, loop: str, is_found: bool
) -> None:
    code = AGENT.format(learn=learn, update=update, loop=loop)

    assert program(code).reported(RULE) == ["self.optimizer.step()"] * is_found
