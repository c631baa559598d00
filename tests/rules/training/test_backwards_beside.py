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


TWO_LOOPS = """\
import torch
from torch import nn
def train(a, b, oa, ob, first, second):
    for x in first:
        oa.zero_grad()
        of_a = a(x).sum()
        of_a.backward()
        oa.step()
    for y in second:
        {zero}
        of_b = b(y).sum()
        {backward}
        {step}
    {end}
def main():
    a, b = nn.Linear(4, 4), nn.Linear(4, 4)
    oa = torch.optim.SGD(a.parameters(), lr=0.1)
    ob = torch.optim.SGD(b.parameters(), lr=0.1)
    for epoch in range(3):
        train(a, b, oa, ob, torch.zeros(8, 4), torch.ones(8, 4))
main()
"""


@pytest.mark.parametrize("further", ["", "; ob.step()"])
def test_a_step_goes_with_the_nearest_backward(program: Program, further: str) -> None:
    code = TWO_LOOPS.format(zero="pass", backward="of_b.backward()", step="ob.step()" + further, end="pass")
    assert program(code).trace(RULE) == [
        ("main.py", "for y in second:", "repeated here"),
        ("main.py", "of_b.backward()", "added to the gradients here"),
    ]


def test_a_step_after_the_loop_of_its_backward_goes_with_that(program: Program) -> None:
    code = TWO_LOOPS.format(zero="pass", backward="of_b.backward()", step="pass", end="ob.step()")
    assert program(code).reported(RULE) == ["ob.step()"]


@pytest.mark.parametrize(("zero", "end"), [("ob.zero_grad()", "pass"), ("pass", "ob.zero_grad()")])
def test_gradients_of_the_loop_beside_are_not_those_of_a_step(program: Program, zero: str, end: str) -> None:
    step = "ob.step()" + ("" if end == "pass" else "; ob.zero_grad()")
    code = TWO_LOOPS.format(zero=zero, backward="of_b.backward()", step=step, end=end)
    assert program(code).reported(RULE) == []
