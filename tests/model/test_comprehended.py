"""Training steps that an expression repeats: what is beside it runs once for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, every_step

Program: TypeAlias = Callable[[str], Checkout]

_EPOCHS = """\
import torch
model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
loader = torch.randn(20, 8, 4)
def step(batch):
    loss = model(batch.cuda()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    print(loss.item())
    optimizer.step()
    return loss.detach()
def read(loss):
    return loss.tolist()
{functions}
for epoch in range(3):
    {steps}
    print(model.weight.mean())  # beside
"""
WITHIN = {
    "a list": "losses = [step(batch) for batch in loader]",
    "a set": "losses = {step(batch) for batch in loader}",
    "a table": "losses = {i: step(batch) for i, batch in enumerate(loader)}",
    "a generator": "total = sum(step(batch) for batch in loader)",
    "a map": "total = sum(map(step, loader))",
    "a list of a map": "losses = list(map(step, loader))",
    "two loops": "losses = [step(batch) for rows in loader for batch in rows]",
    "behind another call": "losses = [read(step(batch)) for batch in loader]",
}


@pytest.mark.parametrize("steps", WITHIN.values(), ids=WITHIN)
@pytest.mark.parametrize("is_in_function", [False, True])
def test_what_stands_beside_runs_once_for_all(program: Program, steps: str, *, is_in_function: bool) -> None:
    functions = f"def train_epoch():\n    {steps}\n    print(model.weight.sum())" if is_in_function else ""
    project = program(_EPOCHS.format(steps="train_epoch()" if is_in_function else steps, functions=functions))

    assert every_step(project.place("model.weight.mean()")) is None
    assert every_step(project.place("loss.item()")) is not None
    assert not is_in_function or every_step(project.place("model.weight.sum()")) is None


def test_what_is_called_within_runs_with_every_step(program: Program) -> None:
    project = program(_EPOCHS.format(steps=WITHIN["behind another call"], functions=""))

    assert every_step(project.place("read(step(batch))")) is not None
    assert every_step(project.place("loss.tolist()")) is not None


@pytest.mark.parametrize(
    "steps",
    [
        "step(loader[0])",
        "losses = [step(batch) for batch in loader]; step(loader[0])",
        "losses = [step(loader[0]), [batch for batch in loader]]",
        "losses = [batch for batch in step(loader[0])]",
        "step(loader[0]); [one.step() for one in (optimizer, optimizer)]",
        "loss = model(loader[0].cuda()).mean(); loss.backward(); [one.step() for one in (optimizer, optimizer)]",
    ],
)
def test_a_round_that_makes_one_step_is_one(program: Program, steps: str) -> None:
    project = program(_EPOCHS.format(steps=steps, functions=""))

    assert every_step(project.place("model.weight.mean()")) is not None


def test_a_round_that_asks_each_of_several_is_one_step(program: Program) -> None:
    functions = "class Agent:\n    def learn(self):\n        step(loader[0])\nagents = [Agent(), Agent()]"
    project = program(_EPOCHS.format(steps="losses = [agent.learn() for agent in agents]", functions=functions))

    assert every_step(project.place("model.weight.mean()")) is not None


def test_a_list_of_trials_makes_no_step_of_each(program: Program) -> None:
    functions = (
        "def trial(size):\n    net = torch.nn.Linear(size, 1)\n    loss = net(torch.ones(size)).sum()\n"
        "    loss.backward()\n    return net.weight.sum()\ndef report(x):\n    return x.item()"
    )
    project = program(_EPOCHS.format(steps="found = [report(trial(size)) for size in (1, 2)]", functions=functions))

    assert every_step(project.place("x.item()")) is None


def test_the_rounds_of_an_expression_are_told(program: Program) -> None:
    project = program(_EPOCHS.format(steps=WITHIN["a list"], functions=""))
    story = every_step(project.place("loss.item()"))

    assert story is not None
    assert [step.words for step in story] == ["this trains", "`step` is called in every step here"]
