"""Which code runs with every step of a function that nothing in view calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout, every_step
from tests.model.steps.programs import in_program, reads_every_step

Program: TypeAlias = Callable[[str], Checkout]

# Each reads `loss.item()` at one place that runs with every call of a function that makes one training step.
EVERY_STEP = {
    "a method of an agent": """
        class Agent:
            def __init__(self, net):
                self.net = net
                self.optimizer = torch.optim.Adam(net.parameters())
            def update(self, states):
                loss = self.net(states).square().mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                return {"loss": loss.item()}
        """,
    "a function that is passed an optimizer": """
        def train_step(net, optimizer, batch):
            loss = net(batch).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss.item()
        """,
    "a step of the generator after several of the critic": """
        def step(net, critic, batch, optimizer_g, optimizer_d):
            for _ in range(5):
                optimizer_d.zero_grad()
                critic(net(batch)).mean().backward()
                optimizer_d.step()
            optimizer_g.zero_grad()
            loss = critic(net(batch)).mean()
            loss.backward()
            optimizer_g.step()
            return loss.item()
        """,
    "what it calls": """
        class Agent:
            def __init__(self, net):
                self.net, self.optimizer = net, torch.optim.Adam(net.parameters())
            def apply(self, loss):
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                return loss.item()
            def learn(self, states):
                return self.apply(self.net(states).mean())
        """,
}

NOT_EVERY_STEP = {
    "a function that makes what it trains": """
        def fit(batch):
            net = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            loss = net(batch).mean()
            loss.backward()
            optimizer.step()
            return loss.item()
        """,
    "a test": """
        def test_step(net, optimizer, batch):
            loss = net(batch).mean()
            loss.backward()
            optimizer.step()
            assert loss.item() < 1
        """,
    "a function with a loop of its own": """
        def fit(net, optimizer, batches):
            for batch in batches:
                loss = net(batch).mean()
                loss.backward()
                optimizer.step()
            return loss.item()
        """,
    "a function that is called once": """
        def step(net, optimizer, batch):
            loss = net(batch).mean()
            loss.backward()
            optimizer.step()
            return loss.item()
        step(model, optimizer, torch.ones(2, 2))
        """,
    "the step of an optimizer": """
        class Clipped:
            def __init__(self, optimizer):
                self.optimizer = optimizer
            def step(self, loss):
                self.optimizer.step()
                return loss.item()
        """,
}


@pytest.mark.parametrize("code", EVERY_STEP.values(), ids=EVERY_STEP)
def test_a_function_that_makes_one_step_is_called_repeatedly(program: Program, code: str) -> None:
    assert reads_every_step(program(in_program(code)))


@pytest.mark.parametrize("code", NOT_EVERY_STEP.values(), ids=NOT_EVERY_STEP)
def test_any_other_function_is_not(program: Program, code: str) -> None:
    assert not reads_every_step(program(in_program(code)))


def test_a_step_of_a_function_without_callers_is_assumed(program: Program) -> None:
    story = every_step(program(in_program(EVERY_STEP["a method of an agent"])).place("loss.item()"))

    assert story is not None
    assert [step.is_assumed for step in story] == [True]
